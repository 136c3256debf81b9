// What a schema says beyond its zod checks: the part of its OpenAPI form that the generator cannot read from zod.
import type { ZodTypeAny } from 'zod'

/** A JSON Schema of draft 2020-12, or a part of one. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/**
 * Adds `fragment` to the OpenAPI form of `schema` (its default, an example, what a refinement demands) and returns
 * the schema itself. Zod makes a new schema with each later call, so this call is the last, but for `optional` and
 * `nullable`, which wrap. `metaOpenApi` is where the generator looks.
 */
export function annotate<Schema extends ZodTypeAny>(schema: Schema, fragment: JsonSchema): Schema {
  return Object.assign(schema, { metaOpenApi: { ...annotation(schema), ...fragment } })
}

/** What `annotate` has added to this very schema. */
export function annotation(schema: ZodTypeAny): JsonSchema {
  return 'metaOpenApi' in schema ? (schema.metaOpenApi as JsonSchema) : {}
}
