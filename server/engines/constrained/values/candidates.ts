// Values that a JSON Schema may accept, the likeliest first; always the same ones.
import { TooMuchEffort } from '../grammar/effort.ts'
import { alternativesOf } from '../schema/schema-alternatives.ts'
import type { Alternative } from '../schema/schema-keywords.ts'
import { constantsOf } from '../schema/schema-constants.ts'
import {
  countsIn,
  itemsAt,
  namesIn,
  placesIn,
  requiredIn,
  withDependents,
} from '../schema/joined-keywords.ts'
import type { Schema } from '../../schema-problem.ts'
import { numbers } from './number-values.ts'
import { createStrings } from './string-values.ts'
import { namePatterns, valuesNamed } from '../schema/property-values.ts'
import { type Type, typesOf } from '../schema/json-types.ts'

/** Maximum number of alternatives and of different items that are tried. */
const MAX_CANDIDATES = 200

/** Maximum number of parts and characters of a value with every property; beyond it, the smallest value is tried. */
const MAX_FULL_SIZE = 50_000

/** Maximum number of items and of characters that a minimum can require. */
const MAX_ITEMS = 1000
const MAX_LENGTH = 100_000

export interface Search {
  /** Whether the values have all optional parts, or none. */
  readonly isFull: boolean
  /** How often a schema may contain itself, through references. */
  readonly repeats: number
  /**
   * How values are found for keywords such as `not` and `oneOf`: they avoid what `not` excludes (the default), the other
   * branches of `oneOf` too, or nothing, which leaves the decision to the validator.
   */
  readonly avoid?: 'not' | 'branches' | 'nothing'
}

/** The optional parts of values, as JSON pointers. */
interface OptionalParts {
  /** Those that a value had. */
  readonly optional: Set<string>
  /** Those that no value has. */
  readonly omitted: ReadonlySet<string>
}

/** Values that `root` may accept, likeliest first; the validator finds their errors. Throws `TooMuchEffort`. */
export function candidatesOf(
  root: Schema,
  { isFull, repeats, avoid = 'not' }: Search,
  { optional, omitted }: OptionalParts = { optional: new Set(), omitted: new Set() },
): Generator<unknown> {
  let room = isFull ? MAX_FULL_SIZE : Infinity
  const strings = createStrings()
  // A copy, so that the first reference to the root does not count as a repetition.
  return of([typeof root === 'boolean' ? root : { ...root }], [], '')

  function take(size: number): void {
    room -= size
    if (room < 0) throw new TooMuchEffort()
  }

  /** Values to which all `schemas` apply, within values of the schemas `around`. */
  function* of(schemas: readonly unknown[], around: Alternative, path: string): Generator<unknown> {
    take(1)
    const alternatives = alternativesOf(schemas, {
      root,
      refuse() {},
      apart: () => avoid !== 'branches',
      limited: (found) => found.slice(0, MAX_CANDIDATES),
      narrows: avoid !== 'nothing',
    })
    for (const parts of alternatives) {
      const isRepeated = parts.some((part) => around.filter((each) => each === part).length > repeats)
      if (isRepeated) continue
      const constants = constantsOf(parts, () => {})
      if (constants !== undefined) yield* constants
      else for (const type of likeliestTypes(parts)) yield* ofType(type, parts, [...around, ...parts], path)
    }
  }

  function ofType(type: Type, parts: Alternative, around: Alternative, path: string): Iterable<unknown> {
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
        return objects(parts, around, path)
      case 'array':
        return arrays(parts, around, path)
      case 'boolean':
        return [true, false]
      case 'null':
        return [null]
    }
  }

  function* objects(parts: Alternative, around: Alternative, path: string): Generator<unknown> {
    const { min, max } = countsIn(parts, 'Properties')
    if (isFull && min > max) return
    const required = withDependents(parts, requiredIn(parts))
    const rest = namesIn(parts).filter((name) => !required.has(name) && !isOmitted(name))
    const room = Math.max(0, (isFull ? max : min) - required.size)
    const chosen = withDependents(parts, [...required, ...rest.slice(0, room)])
    const names = namesIn(parts).filter((name) => chosen.has(name))
    names.push(...chosen.difference(new Set(names)))
    if (names.length < min) {
      const others = otherNames(parts).filter((name) => !chosen.has(name))
      names.push(...new Set(others.take(min - names.length + 100)).values().take(min - names.length))
    }
    const sources = names.map((name) =>
      source(valuesNamed(parts, name), around, placeOf(path, name), !required.has(name)),
    )
    for (const values of combinations(sources)) {
      const pairs = names.map((name, index) => [name, values[index]] as const)
      yield Object.fromEntries(pairs.filter(([, value]) => value !== ABSENT))
    }

    function isOmitted(name: string): boolean {
      return omitted.has(placeOf(path, name))
    }
  }

  /** Names that the schema does not list. */
  function* otherNames(parts: Alternative): Generator<string> {
    const rules = parts.flatMap(({ propertyNames }) => propertyNames ?? [])
    if (rules.length > 0) yield* of([{ type: 'string' }, ...rules], [], '').map(String)
    for (const { source: pattern, value } of namePatterns(parts))
      if (value !== false) yield* strings([{ pattern }], 0).take(MAX_CANDIDATES)
    for (let extra = 0; extra < 100; extra += 1) yield `property${extra}`
  }

  function* arrays(parts: Alternative, around: Alternative, path: string): Generator<unknown> {
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
      const values = of(itemsAt(parts, first), around, path).take(MAX_CANDIDATES)
      const different = new Map(values.map((value) => [JSON.stringify(value), value]))
      yield [...different.values()].slice(0, least)
    }
    const sources = items.map((schemas, index) => source(schemas, around, `${path}/${index}`, isOptional))
    for (const values of combinations(sources)) yield values.filter((value) => value !== ABSENT)
  }

  /** The values of a property or an item. */
  function source(
    schemas: readonly unknown[],
    around: Alternative,
    path: string,
    isOptional: boolean,
  ): Source {
    if (isOptional) optional.add(path)
    return function* values() {
      if (!isOptional || !omitted.has(path)) yield* of(schemas, around, path)
      if (isFull && isOptional) yield ABSENT
    }
  }
}

function placeOf(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

type Source = () => Generator<unknown>

/** Stands for an optional part that is left out. */
const ABSENT = Symbol('absent')

/** Combines one value of each source: the first values, then with one of them at a time replaced by another value. */
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

/** The types, the simplest first; `null` is last, because it shows a client the least. */
const SIMPLEST_FIRST = ['object', 'string', 'integer', 'number', 'boolean', 'array', 'null']

/** The types in the order in which the schema names them, then the simplest first. */
function likeliestTypes(parts: Alternative): readonly Type[] {
  const named = parts.flatMap((part) => part['type'] ?? ('contains' in part ? 'array' : []))
  const order = [...named.filter((type) => type !== 'null'), ...SIMPLEST_FIRST]
  return typesOf(parts).toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
}
