// Types and ranges of a schema as short text for a table.
import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31'

export type Schema = SchemaObject | ReferenceObject

/** A part of a type: text, a literal value, or the name of another schema. */
export type TypeWord = { readonly text: string } | { readonly code: string } | { readonly schema: string }

/** One member of an object, or of an object inside it. */
export interface Field {
  /** Its path, for example `audio.voice`; `[]` is any item. */
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
}

/** The members of `schema` and of its inner objects, but not of referenced schemas. */
export function fieldsOf(schema: Schema, prefix = ''): Field[] {
  const { properties = {}, required: names = [] } = own(schema)
  return Object.entries(properties).flatMap(([member, part]) => {
    const name = prefix + member
    const field: Field = { name, required: names.includes(member), schema: part }
    return [field].concat(innerFields(part, name))
  })
}

function innerFields(schema: Schema, name: string): Field[] {
  const { items } = own(schema)
  return [
    ...fieldsOf(schema, `${name}.`),
    ...branchesOf(schema).flatMap((branch) => innerFields(branch, name)),
    ...(items === undefined ? [] : innerFields(items, `${name}[]`)),
  ]
}

/** The alternatives of a schema. In an object with properties, `anyOf` is a rule and not a list of alternatives. */
function branchesOf(schema: Schema): readonly Schema[] {
  const { oneOf, anyOf, properties } = own(schema)
  return oneOf ?? (properties === undefined ? (anyOf ?? []) : [])
}

/** The JSON types, listed values and references of a schema. */
export function typeOf(schema: Schema): TypeWord[] {
  if (schema.$ref !== undefined) return [{ schema: schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1) }]
  const branches = branchesOf(schema)
  if (branches.length > 0) return alternatives(branches.map(typeOf))
  const { const: only, type = 'any value', items, additionalProperties } = own(schema)
  const values = only === undefined ? own(schema).enum : [only]
  if (values !== undefined) return alternatives(values.map((value) => [{ code: String(value) }]))
  const content = { array: items, object: additionalProperties }
  const named = (text: string): TypeWord[] => [{ text }, ...contentOf(content, text)]
  return alternatives([type].flat().map(named))
}

function contentOf(
  contents: Readonly<Record<string, Schema | boolean | undefined>>,
  type: string,
): TypeWord[] {
  const content = contents[type]
  if (typeof content !== 'object' || Object.keys(content).length === 0) return []
  const words = typeOf(content)
  return [{ text: ' of ' }, ...(words.length > 1 ? [{ text: '(' }, ...words, { text: ')' }] : words)]
}

function alternatives(words: readonly (readonly TypeWord[])[]): TypeWord[] {
  return words.flatMap((word, index) => (index === 0 ? word : [{ text: ' or ' }, ...word]))
}

/** The bounds of `schema`, for example `0 to 2` or `at most 4 items`. */
export function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, ...rest } = own(schema)
  const { maxProperties, pattern, format, items, propertyNames, additionalProperties } = rest
  return [
    ...(format === 'int64' ? ['64 bits'] : range(minimum, maximum, '')),
    ...range(minLength, maxLength, ' character'),
    ...range(minItems, maxItems, ' item'),
    ...range(undefined, maxProperties, ' member'),
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
    ...about('names', propertyNames),
    ...about('values', additionalProperties),
    ...about('items', items),
    ...branchesOf(schema).flatMap(limitsOf),
  ]
}

function about(part: string, schema: Schema | boolean | undefined): string[] {
  return typeof schema === 'object' ? limitsOf(schema).map((limit) => `${part}: ${limit}`) : []
}

function range(min: number | undefined, max: number | undefined, unit: string): string[] {
  const counted = (bound: number) => `${bound}${unit}${unit === '' || bound === 1 ? '' : 's'}`
  if (min !== undefined && max !== undefined) return [`${min} to ${counted(max)}`]
  if (min !== undefined) return [`at least ${counted(min)}`]
  return max === undefined ? [] : [`at most ${counted(max)}`]
}

/** The schema, or an empty one for a reference. */
function own(schema: Schema): SchemaObject {
  return '$ref' in schema ? {} : schema
}
