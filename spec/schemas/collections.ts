// Arrays and records whose check ends at the first bad item. zod's own schemas collect an issue for each item: a body of
// one megabyte then blocks the process for five seconds, although an error response needs only one issue.
import { type RefinementCtx, type ZodTypeAny, z } from 'zod'
import { quoted } from '../protocol/key.ts'
import { annotate } from './annotate.ts'

/** An array of `item` with `min` to `max` items. */
export function list<Item extends ZodTypeAny>(item: Item, { min = 0, max = Infinity } = {}) {
  const schema = z.unknown().transform((data, context): z.output<Item>[] => {
    if (!Array.isArray(data)) return refuse(context, wrongType('array', data))
    const size = { type: 'array', inclusive: true } as const
    if (data.length < min) return refuse(context, { code: 'too_small', minimum: min, ...size })
    if (data.length > max) return refuse(context, { code: 'too_big', maximum: max, ...size })

    const items: z.output<Item>[] = []
    for (const [index, value] of data.entries()) {
      const parsed = item.safeParse(value, { path: [...context.path, index] })
      if (!parsed.success) return refuseWith(context, parsed.error)
      items.push(parsed.data)
    }
    return items
  })
  return annotate(schema, {
    type: 'array',
    items: item,
    ...(min > 0 && { minItems: min }),
    ...(max < Infinity && { maxItems: max }),
  })
}

export interface DictionaryOptions<Value extends ZodTypeAny> {
  /** The schema of a key. */
  readonly key: ZodTypeAny
  /** The name of the keys in messages, for example `token ids`. */
  readonly keys: string
  readonly value: Value
  /** Maximum number of pairs. */
  readonly max?: number
}

/** An object with any keys that `key` accepts, each with a `value`. */
export function dictionary<Value extends ZodTypeAny>(options: DictionaryOptions<Value>) {
  const { key, keys, value, max = Infinity } = options
  const schema = z.unknown().transform((data, context): Record<string, z.output<Value>> => {
    if (!isRecord(data)) return refuse(context, wrongType('object', data))
    const names = Object.keys(data)
    if (names.length > max)
      return refuse(
        context,
        broken('object_above_max_properties', `expected at most ${max} pairs, got ${names.length}`),
      )

    const pairs: [string, z.output<Value>][] = []
    for (const name of names) {
      if (!key.safeParse(name).success)
        return refuse(context, broken('invalid_value', `expected ${keys} as keys, got '${quoted(name, 64)}'`))
      const parsed = value.safeParse(data[name], { path: [...context.path, name] })
      if (!parsed.success) return refuseWith(context, parsed.error)
      pairs.push([name, parsed.data])
    }
    return Object.fromEntries(pairs)
  })
  return annotate(schema, {
    type: 'object',
    propertyNames: key,
    additionalProperties: value,
    ...(max < Infinity && { maxProperties: max }),
  })
}

/** A JSON Schema that a client sends: any JSON object, passed on unchanged. */
export const clientSchema = z.record(z.unknown())

export function isRecord(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null && !Array.isArray(data)
}

function wrongType(expected: z.ZodParsedType, data: unknown): z.IssueData {
  return { code: 'invalid_type', expected, received: z.getParsedType(data) }
}

function broken(code: string, message: string): z.IssueData {
  return { code: 'custom', message, params: { code } }
}

/** Reports an issue as fatal, so that a union skips this branch. */
function refuse(context: RefinementCtx, issue: z.IssueData): never {
  context.addIssue({ ...issue, fatal: true })
  return z.NEVER
}

/** Reports the issues of an item. zod puts the path of the collection before the path of an issue. */
function refuseWith(context: RefinementCtx, error: z.ZodError): never {
  for (const issue of error.issues)
    context.addIssue({ ...issue, path: issue.path.slice(context.path.length), fatal: true })
  return z.NEVER
}
