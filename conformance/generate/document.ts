// The OpenAPI document that requests are derived from, read once.
import { readFileSync } from 'node:fs'
import { NULL_NOT_PROMISED } from '../../spec/protocol/nullable.ts'
import { type SchemaNode, SchemaReader } from './schema-node.ts'

let document: unknown

/** The document of this project. */
export function openApiDocument(): unknown {
  document ??= JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
  return document
}

/** The schema of a chat completion request. */
export function requestSchema(reader: SchemaReader): SchemaNode {
  return reader.at('/paths/~1v1~1chat~1completions/post/requestBody/content/application~1json/schema')
}

/** Every field of a request that may be null by the format, in the order of the alphabet. */
export function nullableFields(): readonly string[] {
  const reader = new SchemaReader(openApiDocument())
  const root = requestSchema(reader)
  const isNullable = (name: string): boolean =>
    reader.types(reader.step(root, { to: 'property', name })).includes('null')
  return Object.keys(root.schema.properties ?? {})
    .filter((name) => isNullable(name) && !NULL_NOT_PROMISED.has(name))
    .toSorted()
}
