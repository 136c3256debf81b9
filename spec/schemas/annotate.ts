// Annotations of a schema beyond its zod checks: the parts of its OpenAPI form that the generator cannot derive from zod.
/* oxlint-disable no-underscore-dangle -- zod keeps the definition of a schema in `_def` */
import type { ZodNullable, ZodOptional, ZodTypeAny } from 'zod'

/** A JSON Schema of draft 2020-12, or a part of one; the value of a keyword may also be the zod schema that it holds. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/**
 * A copy of `schema` with `fragment` added to its OpenAPI form: its default, an example, the rule of a refinement.
 * Every later call of zod makes a new schema without the fragment, except `optional`, `nullable` and `nullish`, which
 * wrap it.
 */
export function annotate<Schema extends ZodTypeAny>(schema: Schema, fragment: JsonSchema): Schema {
  // A copy as zod's own `describe` makes it.
  const Kind = schema.constructor as new (definition: Schema['_def']) => Schema
  return Object.assign(new Kind(schema._def), { metaOpenApi: { ...annotation(schema), ...fragment } })
}

/** A field that may be left out or null, with its description and further annotations. */
export function optional<Schema extends ZodTypeAny>(
  schema: Schema,
  description: string,
  fragment: JsonSchema = {},
): ZodOptional<ZodNullable<Schema>> {
  return annotate(schema.nullish().describe(description), fragment)
}

/** The annotations of this schema, stored under the name that the generator reads. */
export function annotation(schema: ZodTypeAny): JsonSchema {
  return 'metaOpenApi' in schema ? (schema.metaOpenApi as JsonSchema) : {}
}
