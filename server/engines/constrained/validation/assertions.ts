// The keywords that look at a value alone, without other schemas: types, bounds, counts, patterns, formats, constants.
import { compareNumbers, isJsonNumber, isMultiple, type JsonNumber, nearest } from '../grammar/decimal.ts'
import { canonical } from '../schema/json-equality.ts'
import { isOfType, type Type } from '../schema/json-types.ts'
import type { Keywords } from '../schema/schema-keywords.ts'
import { FORMATS } from './formats.ts'

/** Makes the test of a regular expression. */
export type PatternTest = (source: string) => (text: string) => boolean

type Assertion = readonly [keyword: string, holds: (value: unknown) => boolean]

const COMPARED: readonly (readonly [string, (value: JsonNumber, bound: JsonNumber) => boolean])[] = [
  ['maximum', (value, bound) => compareNumbers(value, bound) <= 0],
  ['minimum', (value, bound) => compareNumbers(value, bound) >= 0],
  ['exclusiveMaximum', (value, bound) => compareNumbers(value, bound) < 0],
  ['exclusiveMinimum', (value, bound) => compareNumbers(value, bound) > 0],
  ['multipleOf', isMultiple],
]

/** The counted parts of a value; undefined if its type has none. */
const COUNTED: readonly (readonly [string, (value: unknown) => number | undefined])[] = [
  ['Length', (value) => (typeof value === 'string' ? Array.from(value).length : undefined)],
  ['Properties', (value) => (isOfType(value, 'object') ? Object.keys(Object(value)).length : undefined)],
  ['Items', (value) => (Array.isArray(value) ? value.length : undefined)],
]

/** The assertions of `schema`; a value of another type than theirs satisfies them. */
export function assertionsOf(schema: Keywords, patternTest: PatternTest): Assertion[] {
  const { type, pattern, format } = schema
  const found: Assertion[] = []
  if (type !== undefined) {
    const types = [type].flat() as Type[]
    found.push(['type', (value) => types.some((each) => isOfType(value, each))])
  }
  for (const [keyword, holds] of COMPARED) {
    const bound = schema[keyword]
    if (isJsonNumber(bound)) found.push([keyword, (value) => !isJsonNumber(value) || holds(value, bound)])
  }
  for (const [what, count] of COUNTED) {
    const [least, most] = [schema[`min${what}`], schema[`max${what}`]]
    if (isJsonNumber(most)) found.push([`max${what}`, (value) => (count(value) ?? 0) <= nearest(most)])
    if (isJsonNumber(least))
      found.push([`min${what}`, (value) => (count(value) ?? Infinity) >= nearest(least)])
  }
  const ofText = (keyword: string, holds: (value: string) => boolean) =>
    found.push([keyword, (value) => typeof value !== 'string' || holds(value)])
  if (typeof pattern === 'string') ofText('pattern', patternTest(pattern))
  const isOfFormat = typeof format === 'string' ? FORMATS.get(format) : undefined
  if (isOfFormat !== undefined) ofText('format', isOfFormat)
  if (schema['uniqueItems'] === true)
    found.push([
      'uniqueItems',
      (value) => !Array.isArray(value) || new Set(value.map(canonical)).size === value.length,
    ])
  if ('const' in schema) found.push(['const', oneOf([schema['const']])])
  if (Array.isArray(schema['enum'])) found.push(['enum', oneOf(schema['enum'])])
  return found
}

/** Whether a value is one of `wanted`, in linear time. */
function oneOf(wanted: readonly unknown[]): (value: unknown) => boolean {
  const texts = new Set(wanted.map(canonical))
  const hasParts = wanted.some((value) => typeof value === 'object')
  return (value) => (hasParts || typeof value !== 'object') && texts.has(canonical(value))
}
