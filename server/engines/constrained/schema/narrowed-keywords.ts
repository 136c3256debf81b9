// Expresses `not`, `if`, dependencies and overlapping branches of `oneOf` by other keywords. The result accepts no value
// that the schema refuses, but may refuse some that it accepts.
import { escapePattern } from '../../../../spec/escape-pattern.ts'
import { isRecord } from '../../../../spec/schemas/collections.ts'
import { compareNumbers, isJsonNumber, type JsonNumber, nearest } from '../grammar/decimal.ts'
import type { Schema } from '../../schema-problem.ts'
import { isOfType } from './json-types.ts'
import { type Keywords, listOf } from './schema-keywords.ts'

const TYPES = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const

const negations = new WeakMap<object, Schema>()

const DEPENDENCIES = ['dependencies', 'dependentRequired', 'dependentSchemas']

/** The keywords that are expressed by others, beside overlapping branches of `oneOf`. */
export const NARROWED = ['not', 'if', 'then', 'else', ...DEPENDENCIES]

/** A schema that must apply in place of a keyword. */
interface Narrowing {
  readonly keyword: string
  /** Undefined if the keyword cannot be expressed. */
  readonly schema: Schema | undefined
}

/** The narrowings of `schema`. `resolved` is the target of a reference. */
export function narrowings(schema: Keywords, resolved: (pointer: string) => unknown): Narrowing[] {
  const { not, if: condition, then = true, else: otherwise = true } = schema
  const dependencies = DEPENDENCIES.flatMap((keyword) =>
    Object.entries(isRecord(schema[keyword]) ? schema[keyword] : {}).map(([name, other]) => ({
      keyword,
      schema: {
        anyOf: [Array.isArray(other) ? { required: other } : other, { properties: { [name]: false } }],
      },
    })),
  )
  return [
    ...(not === undefined ? [] : [{ keyword: 'not', schema: negated(not, resolved) }]),
    ...(condition === undefined
      ? []
      : [
          {
            keyword: 'if',
            schema: { anyOf: [{ allOf: [{ not: condition }, otherwise] }, { allOf: [condition, then] }] },
          },
        ]),
    ...dependencies,
  ]
}

/** A schema for each of `branches` that accepts what only this branch accepts. */
export function exactlyOne(branches: readonly unknown[]): Schema[] {
  return branches.map((branch, place) => ({
    allOf: [branch, ...branches.toSpliced(place, 1).map((other) => ({ not: other }))],
  }))
}

/** A schema that accepts only values that `schema` refuses; undefined if none can be expressed. */
function negated(schema: unknown, resolved: (pointer: string) => unknown): Schema | undefined {
  if (!isRecord(schema)) return schema === false
  // The negation of a schema is one object, so that a reference to itself leads back to it.
  const known = negations.get(schema)
  if (known !== undefined) return known
  const anyOf: Schema[] = []
  const made: Schema = { anyOf }
  negations.set(schema, made)
  const not = (part: unknown): Schema => ({ not: part })
  if (typeof schema['$ref'] === 'string') anyOf.push(not(resolved(schema['$ref'])))
  if (Array.isArray(schema['anyOf'])) anyOf.push({ allOf: schema['anyOf'].map(not) })
  anyOf.push(...listOf(schema['allOf']).map(not))
  if ('not' in schema && (typeof schema['not'] === 'boolean' || isRecord(schema['not'])))
    anyOf.push(schema['not'])
  anyOf.push(...negatedTypes(schema), ...negatedConstants(schema), ...negatedStrings(schema))
  anyOf.push(...negatedNumbers(schema), ...negatedCounts(schema))
  for (const name of listOf(schema['required']))
    anyOf.push({ type: 'object', properties: { [String(name)]: false } })
  for (const [name, part] of Object.entries(isRecord(schema['properties']) ? schema['properties'] : {}))
    anyOf.push({ type: 'object', properties: { [name]: not(part) }, required: [name] })
  if (schema['items'] !== undefined && !('prefixItems' in schema))
    anyOf.push({ type: 'array', prefixItems: [not(schema['items'])], minItems: 1 })
  return anyOf.length > 0 || Object.keys(schema).length === 0 ? made : undefined
}

function negatedTypes({ type }: Keywords): Schema[] {
  if (type === undefined) return []
  const excluded = new Set([type].flat().map((name: unknown) => (name === 'integer' ? 'number' : name)))
  return [{ type: TYPES.filter((each) => !excluded.has(each)) }]
}

function negatedConstants(schema: Keywords): Schema[] {
  if (!('const' in schema || 'enum' in schema)) return []
  const constants = 'const' in schema ? [schema['const']] : listOf(schema['enum'])
  const typeOf = (value: unknown) => TYPES.find((type) => isOfType(value, type))
  const types = new Set(constants.map(typeOf))
  const texts = constants.filter((value) => typeof value === 'string').map(escapePattern)
  const boolean = !constants.includes(true)
  return [
    { type: TYPES.filter((type) => !types.has(type)) },
    ...(types.has('string') ? [{ type: 'string', pattern: `^(?!(?:${texts.join('|')})$)` }] : []),
    ...(types.has('boolean') && constants.includes(!boolean) && !constants.includes(boolean)
      ? [{ const: boolean }]
      : []),
    ...(types.has('number') ? numbersBeyond(constants.filter(isJsonNumber)) : []),
  ]
}

function numbersBeyond(numbers: readonly JsonNumber[]): Schema[] {
  const sorted = numbers.toSorted(compareNumbers)
  return [
    { type: 'number', exclusiveMinimum: sorted.at(-1) },
    { type: 'number', exclusiveMaximum: sorted[0] },
  ]
}

function negatedStrings({ pattern }: Keywords): Schema[] {
  return typeof pattern === 'string' ? [{ type: 'string', pattern: `^(?![^]*(?:${pattern}))` }] : []
}

/** The keywords of numbers, each with its negation. */
const OPPOSITES = {
  minimum: 'exclusiveMaximum',
  maximum: 'exclusiveMinimum',
  exclusiveMinimum: 'maximum',
  exclusiveMaximum: 'minimum',
} as const

function negatedNumbers(schema: Keywords): Schema[] {
  return Object.entries(OPPOSITES).flatMap(([keyword, opposite]) =>
    isJsonNumber(schema[keyword]) ? [{ type: 'number', [opposite]: schema[keyword] }] : [],
  )
}

const COUNTED = { Length: 'string', Items: 'array', Properties: 'object' } as const

function* negatedCounts(schema: Keywords): Generator<Schema> {
  for (const [what, type] of Object.entries(COUNTED)) {
    const [min, max] = [schema[`min${what}`], schema[`max${what}`]]
    if (isJsonNumber(min) && nearest(min) > 0) yield { type, [`max${what}`]: nearest(min) - 1 }
    if (isJsonNumber(max)) yield { type, [`min${what}`]: nearest(max) + 1 }
  }
}
