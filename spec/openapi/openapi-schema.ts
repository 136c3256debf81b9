// The OpenAPI 3.1 form of a zod schema. `@anatine/zod-openapi` describes one node at a time, and this file describes
// the parts and the nodes that it would describe wrongly or loosely. A schema without a faithful form is refused, so
// that nothing is dropped silently.
/* oxlint-disable no-underscore-dangle -- zod keeps the definition of a schema in `_def` */
import { extendApi, generateSchema } from '@anatine/zod-openapi'
import { type ZodTypeAny, z } from 'zod'
import { type JsonSchema, annotation } from '../schemas/annotate.ts'

/** The schemas that are described once, under `#/components/schemas`, and referenced everywhere else. */
export type Components = ReadonlyMap<ZodTypeAny, string>

/**
 * The description of `schema` itself; it accepts exactly the JSON values that `schema` accepts. Throws `TypeError` for
 * a schema without such a description, for example a refinement that `annotate` does not describe.
 */
export function openApiSchema(schema: ZodTypeAny, components: Components = new Map()): JsonSchema {
  // The members added by `annotate` replace the generated ones: the generator would join arrays, so that nothing could be replaced.
  const { default: standard, ...annotated } = annotation(schema)
  const added = Object.entries(annotated).map(([keyword, part]) => [
    keyword,
    part instanceof z.ZodType ? use(part, components) : part,
  ])
  return withDefault({ ...describe(schema, components), ...Object.fromEntries(added) }, standard)
}

/** Adds the default in words: for a field with `default`, generators of clients make the field required or always send it. */
function withDefault(described: JsonSchema, standard: unknown): JsonSchema {
  if (standard === undefined) return described
  const { default: _, description = '', ...rest } = described
  return { ...rest, description: `${String(description)} Default: \`${JSON.stringify(standard)}\`.`.trim() }
}

/** The description of `schema` inside another one: a reference if it is one of the components. */
function use(schema: ZodTypeAny, components: Components): JsonSchema {
  const name = components.get(schema)
  return name === undefined ? openApiSchema(schema, components) : { $ref: `#/components/schemas/${name}` }
}

function describe(schema: ZodTypeAny, components: Components): JsonSchema {
  const useAll = (parts: readonly ZodTypeAny[]) => parts.map((part) => use(part, components))
  /** Replaces `part` while the generator describes the schema around it; optional if `part` is. */
  const opaque = (part: ZodTypeAny) =>
    extendApi(
      z.lazy(() => part),
      use(part, components),
    )

  if (schema instanceof z.ZodOptional) return wrapped(schema, use(schema.unwrap(), components))
  if (schema instanceof z.ZodNullable) return wrapped(schema, orNull(use(schema.unwrap(), components)))
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries<ZodTypeAny>(schema.shape).map(([name, part]) => [name, opaque(part)])
    const { catchall } = schema._def
    return generate(
      new z.ZodObject({
        ...schema._def,
        shape: () => Object.fromEntries(shape),
        catchall: catchall instanceof z.ZodNever ? catchall : opaque(catchall),
      }),
    )
  }
  if (schema instanceof z.ZodRecord) {
    const record = generate(new z.ZodRecord({ ...schema._def, valueType: opaque(schema.valueSchema) }))
    const propertyNames = use(schema.keySchema, components)
    return Object.keys(propertyNames).join() === 'type' ? record : { ...record, propertyNames }
  }
  if (schema instanceof z.ZodArray)
    return generate(new z.ZodArray({ ...schema._def, type: opaque(schema.element) }))
  // Not `oneOf`: a value may be valid in two branches.
  if (schema instanceof z.ZodUnion) return withDescription(schema, { anyOf: useAll(schema.options) })
  if (schema instanceof z.ZodDiscriminatedUnion)
    return withDescription(schema, discriminated(schema, useAll(schema.options), components))
  if (schema instanceof z.ZodEffects) {
    if (Object.keys(annotation(schema)).length === 0)
      throw new TypeError(`nothing says in JSON Schema what this ${schema._def.effect.type} demands`)
    return withDescription(schema, use(schema.innerType(), components))
  }
  return describeLeaf(schema)
}

function describeLeaf(schema: ZodTypeAny): JsonSchema {
  if (schema instanceof z.ZodString) return text(schema)
  if (schema instanceof z.ZodLiteral && ['string', 'number', 'boolean'].includes(typeof schema.value))
    return onlyValue(generate(schema))
  if (schema instanceof z.ZodEnum) return onlyValue(generate(schema))
  const leaves = [z.ZodNumber, z.ZodBoolean, z.ZodUnknown, z.ZodAny]
  if (leaves.some((leaf) => schema instanceof leaf)) return generate(schema)
  throw new TypeError(`a ${String(schema._def.typeName)} has no faithful description`)
}

/** The output of the generator, without empty keywords; a list of one type becomes that type. */
function generate(schema: ZodTypeAny): JsonSchema {
  return Object.fromEntries(
    Object.entries<unknown>({ ...generateSchema(schema, false, '3.1') })
      .filter(([, value]) => value !== undefined)
      .map(([keyword, value]) => [keyword, keyword === 'type' ? onlyOne(value) : value]),
  )
}

/** A list of one value is that value: generated clients then need no class for it. */
function onlyValue({ enum: values, ...rest }: JsonSchema): JsonSchema {
  if (!Array.isArray(values)) return rest
  return values.length === 1 ? { ...rest, const: values[0] } : { ...rest, enum: values }
}

function onlyOne(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

function withDescription({ description }: ZodTypeAny, described: JsonSchema): JsonSchema {
  return description === undefined ? described : { ...described, description }
}

/** Zod copies the description of a schema to its wrapper; beside a reference that copy is redundant. */
function wrapped(
  schema: z.ZodOptional<ZodTypeAny> | z.ZodNullable<ZodTypeAny>,
  described: JsonSchema,
): JsonSchema {
  return schema.description === schema.unwrap().description ? described : withDescription(schema, described)
}

function orNull(described: JsonSchema): JsonSchema {
  const { description, ...rest } = described
  return { ...nullable(rest), ...(description !== undefined && { description }) }
}

function nullable(described: JsonSchema): JsonSchema {
  const { type, anyOf, ...rest } = described
  if (typeof type === 'string' && 'const' in rest) {
    const { const: value, ...others } = rest
    return { ...others, type: [type, 'null'], enum: [value, null] }
  }
  if (Array.isArray(anyOf) && type === undefined && Object.keys(rest).length === 0)
    return { anyOf: [...anyOf, { type: 'null' }] }
  // These keywords apply to null too, so null becomes an alternative; all other keywords accept null.
  const demanding = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'const', 'discriminator']
  if (typeof type !== 'string' || demanding.some((keyword) => keyword in described))
    return { anyOf: [described, { type: 'null' }] }
  return {
    ...rest,
    type: [type, 'null'],
    ...(Array.isArray(rest['enum']) && { enum: [...rest['enum'], null] }),
  }
}

/** Tools need the mapping, which can refer only to components. */
function discriminated(
  schema: z.ZodDiscriminatedUnion<string, z.ZodDiscriminatedUnionOption<string>[]>,
  oneOf: readonly JsonSchema[],
  components: Components,
): JsonSchema {
  const mapping: Record<string, unknown> = {}
  for (const option of schema.options) {
    const tag: unknown = option.shape[schema.discriminator]
    const name = components.get(option)
    if (!(tag instanceof z.ZodLiteral) || name === undefined) return { oneOf }
    mapping[String(tag.value)] = `#/components/schemas/${name}`
  }
  return { oneOf, discriminator: { propertyName: schema.discriminator, mapping } }
}

/** Zod counts UTF-16 units and JSON Schema code points, so only the bound "not empty" means the same. */
function text(schema: z.ZodString): JsonSchema {
  const patterns: { readonly pattern: string }[] = []
  for (const check of schema._def.checks) {
    if (check.kind === 'regex' && check.regex.flags.replace('u', '') === '')
      patterns.push({ pattern: check.regex.source })
    else if (check.kind !== 'min' || check.value > 1)
      throw new TypeError(`the check "${check.kind}" of a string has no faithful description`)
  }
  // The generator keeps the last pattern only.
  const { pattern: _, ...rest } = generate(schema)
  return { ...rest, ...(patterns.length < 2 ? patterns[0] : { allOf: patterns }) }
}
