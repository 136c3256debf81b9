// The OpenAPI document from which requests are derived. It is read once.
import { readOwnFile } from '../../harness/program.ts'
import { type SchemaNode, SchemaReader } from '../../spec/openapi/schema-walk.ts'
import { NULL_NOT_PROMISED } from '../../spec/protocol/nullable.ts'

let document: unknown

export function openApiDocument(): unknown {
  document ??= JSON.parse(readOwnFile(new URL('../../openapi.json', import.meta.url)))
  return document
}

export function requestSchema(reader: SchemaReader): SchemaNode {
  return reader.at('/paths/~1v1~1chat~1completions/post/requestBody/content/application~1json/schema')
}

/** The fields of a request that the format allows to be null, sorted. */
export function nullableFields(): readonly string[] {
  const reader = new SchemaReader(openApiDocument())
  const root = requestSchema(reader)
  const isNullable = (name: string): boolean =>
    reader.types(reader.step(root, { to: 'property', name })).includes('null')
  return Object.keys(root.schema.properties ?? {})
    .filter((name) => isNullable(name) && !NULL_NOT_PROMISED.has(name))
    .toSorted()
}
