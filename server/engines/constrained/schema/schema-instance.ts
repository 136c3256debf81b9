// A JSON value for a JSON Schema, always the same one: what the echo model answers if an answer must match a schema.
// It has every property and one item in each list, so that a client's parser sees something; if the schema does not
// allow that, it is about the smallest. A keyword without a value that can be found is reported, never ignored.
import { quoted } from '../../../../spec/protocol/key.ts'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { TooMuchEffort } from '../grammar/effort.ts'
import { type Alternative, alternativesOf } from './schema-alternatives.ts'
import { constantsOf } from './schema-constants.ts'
import { countsIn, itemsAt, namesIn, placesIn, requiredIn, valuesNamed } from './joined-keywords.ts'
import { type Schema, SchemaProblem } from '../../schema-problem.ts'
import { numbers } from './number-values.ts'
import { createStrings } from './string-values.ts'
import { type Type, typesOf } from './json-types.ts'

/** Candidates that are tried before a schema counts as one without a value that can be found. */
const MAX_CANDIDATES = 200

/** Parts and characters of a value with every property: one that has more gives way to the smallest. */
const MAX_FULL_SIZE = 50_000

/** Maximum number of items and of characters that a minimum can require. */
const MAX_ITEMS = 1000
const MAX_LENGTH = 100_000

interface Search {
  /** Whether the values have all that is optional; otherwise they have nothing that is optional. */
  readonly isFull: boolean
  /** How often a schema may contain itself, through references. */
  readonly repeats: number
}

/** The searches, in the order in which they are tried. */
const SEARCHES: readonly Search[] = [
  { isFull: true, repeats: 0 },
  { isFull: false, repeats: 0 },
  { isFull: false, repeats: 1 },
  { isFull: false, repeats: 4 },
]

/** A value that the compiled schema accepts. Throws `SchemaProblem`, with the keyword that stood in the way. */
export function instanceOf(validate: ValidateFunction): unknown {
  const { schema } = validate
  let problem: ErrorObject | undefined
  const isRecursive = JSON.stringify(schema).includes('"$ref"')
  for (const search of SEARCHES.slice(0, isRecursive ? SEARCHES.length : 2)) {
    try {
      for (const candidate of candidatesOf(schema, search).take(MAX_CANDIDATES)) {
        if (validate(candidate)) return candidate
        problem ??= validate.errors?.[0]
      }
    } catch (error) {
      if (!(error instanceof TooMuchEffort)) throw error
    }
  }
  const { keyword = 'type', schemaPath: place = '#' } = problem ?? {}
  throw new SchemaProblem(keyword, `no value was found that satisfies '${keyword}' at ${quoted(place, 200)}`)
}

/** Values that `root` may accept, likeliest first; the validator finds their errors. Throws `TooMuchEffort`. */
function candidatesOf(root: Schema, { isFull, repeats }: Search): Generator<unknown> {
  let room = isFull ? MAX_FULL_SIZE : Infinity
  const strings = createStrings()
  // A copy, so that a reference to the root contains it for the first time.
  return of([typeof root === 'boolean' ? root : { ...root }], [])

  function take(size: number): void {
    room -= size
    if (room < 0) throw new TooMuchEffort()
  }

  /** Values to which all `schemas` apply, within values of the schemas `around`. */
  function* of(schemas: readonly unknown[], around: Alternative): Generator<unknown> {
    take(1)
    const alternatives = alternativesOf(schemas, {
      root,
      refuse() {},
      apart: () => true,
      limited: (found) => found.slice(0, MAX_CANDIDATES),
    })
    for (const parts of alternatives) {
      const isRepeated = parts.some((part) => around.filter((each) => each === part).length > repeats)
      if (isRepeated) continue
      const constants = constantsOf(parts, () => {})
      if (constants !== undefined) yield* constants
      else for (const type of likeliestTypes(parts)) yield* ofType(type, parts, [...around, ...parts])
    }
  }

  function ofType(type: Type, parts: Alternative, around: Alternative): Iterable<unknown> {
    switch (type) {
      case 'string': {
        const length = Math.min(countsIn(parts, 'Length').min, MAX_LENGTH)
        take(length)
        return strings(parts, length)
      }
      case 'integer':
      case 'number':
        return numbers(parts, type)
      case 'object':
        return objects(parts, around)
      case 'array':
        return arrays(parts, around)
      case 'boolean':
        return [true, false]
      case 'null':
        return [null]
    }
  }

  function* objects(parts: Alternative, around: Alternative): Generator<unknown> {
    const { min, max } = countsIn(parts, 'Properties')
    if (isFull && min > max) return
    const required = new Set(requiredIn(parts))
    const listed = namesIn(parts)
    const room = Math.max(0, (isFull ? max : min) - required.size)
    const optional = new Set(listed.filter((name) => !required.has(name)).slice(0, room))
    const names = listed.filter((name) => required.has(name) || optional.has(name))
    for (let extra = 0; names.length < Math.min(min, 100); extra += 1) names.push(`property${extra}`)
    const sources = names.map((name) => source(valuesNamed(parts, name), around, !required.has(name)))
    for (const values of combinations(sources)) {
      const pairs = names.map((name, index) => [name, values[index]] as const)
      yield Object.fromEntries(pairs.filter(([, value]) => value !== ABSENT))
    }
  }

  function* arrays(parts: Alternative, around: Alternative): Generator<unknown> {
    const { min, max } = countsIn(parts, 'Items')
    if (isFull && min > max) return
    const wanted = parts.flatMap((part) => ('contains' in part ? [part['contains']] : []))
    const least = Math.min(Math.max(min, wanted.length), MAX_ITEMS)
    const isOptional = isFull && least === 0 && max !== 0
    const first = placesIn(parts)
    const items = Array.from({ length: isOptional ? 1 : least }, (_, index) => [
      ...itemsAt(parts, index),
      ...wanted.slice(index - first, index - first + 1).filter(() => index >= first),
    ])
    if (items.length > 1 && parts.some(({ uniqueItems }) => uniqueItems === true)) {
      const values = of(itemsAt(parts, first), around).take(MAX_CANDIDATES)
      const different = new Map(values.map((value) => [JSON.stringify(value), value]))
      yield [...different.values()].slice(0, least)
    }
    const sources = items.map((schemas) => source(schemas, around, isOptional))
    for (const values of combinations(sources)) yield values.filter((value) => value !== ABSENT)
  }

  /** The values of a property or an item. */
  function source(schemas: readonly unknown[], around: Alternative, isOptional: boolean): Source {
    return function* values() {
      yield* of(schemas, around)
      if (isFull && isOptional) yield ABSENT
    }
  }
}

type Source = () => Generator<unknown>

/** Stands for an optional part that is left out. */
const ABSENT = Symbol('absent')

/** One value of each source: the first of all, then with one of them at a time replaced by its other values. */
function* combinations(sources: readonly Source[]): Generator<unknown[]> {
  const first: unknown[] = []
  for (const source of sources) {
    const { value, done } = source().next()
    if (done === true) return
    first.push(value)
  }
  yield first
  for (const [place, source] of sources.entries()) {
    for (const value of source().drop(1).take(20)) yield first.with(place, value)
  }
}

/** The types, the simplest first. `null` is the last: it says the least. */
const SIMPLEST_FIRST = ['object', 'string', 'integer', 'number', 'boolean', 'array', 'null']

/** The types in the order in which the schema names them, then the simplest first. */
function likeliestTypes(parts: Alternative): readonly Type[] {
  const named = parts.flatMap((part) => part['type'] ?? ('contains' in part ? 'array' : []))
  const order = [...named.filter((type) => type !== 'null'), ...SIMPLEST_FIRST]
  return typesOf(parts).toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
}
