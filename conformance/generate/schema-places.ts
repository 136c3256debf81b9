// The places of a schema: for each of its constraints the values on a bound, just inside it and just outside it, values
// of every other type, and what may be missing or unknown.
import * as fc from 'fast-check'
import {
  type Json,
  type SchemaNode,
  type SchemaReader,
  type SchemaStep,
  type VisitedSchema,
  memberAt,
} from '../../spec/openapi/schema-walk.ts'
import { SchemaValues, simplest } from '../../spec/openapi/schema-values.ts'
import { type Mutate, object, put, remove, replace } from './mutations.ts'

/** Values on a bound or one step within, or characters that a pattern accepts; `whole` is `1.0` for an integer. */
const ACCEPTED = ['lower', 'upper', 'inside', 'whole', 'longest', 'characters', 'most'] as const

/** Values one step beyond a bound. */
const BEYOND = ['below', 'above', 'too-few', 'too-many', 'too-long', 'fraction', 'bad-characters'] as const

/**
 * Other wrong values: `unknown` is not listed, `type` is of another JSON type, `missing` removes it, `extra` is a member
 * that the schema does not have, and `rule` breaks a rule between fields.
 */
const WRONG = ['unknown', 'type', 'null', 'missing', 'extra', 'rule'] as const

export const PLACE_KINDS = [...ACCEPTED, ...BEYOND, ...WRONG] as const
export type PlaceKind = (typeof PLACE_KINDS)[number]

/** The values on one side of one constraint. */
export interface Place {
  /** The field, for example `messages[].role`; `[]` is any item and `*` any member. */
  readonly at: string
  readonly kind: PlaceKind
  /** JSON pointer into the document: the keyword, or for a type the schema that accepts others. */
  readonly constraint: string
  readonly steps: readonly SchemaStep[]
  /** Each replaces a valid value with one value of this place. */
  readonly mutations: readonly Mutate[]
  /** Further mutations that are tried once for a field, and not in each element and form of it. */
  readonly once?: readonly Mutate[] | undefined
  /** Further mutations by chance. */
  readonly others?: fc.Arbitrary<Mutate> | undefined
}

export function isAccepted({ kind }: Place): boolean {
  return ACCEPTED.some((accepted) => accepted === kind)
}

/** Stands for the number 1.0, which `JSON.stringify` would write as 1. */
export const ONE_POINT_ZERO = '@1.0'

/** One step from the bound of a number that may have a fraction. */
const SMALL_STEP = 0.01

const PATTERN_TEXTS = ['A-z_09', 'x', 'x'.repeat(64), '', 'a b', 'a/b', 'é', 'a\n', '😀', 'x'.repeat(65)]

/** Characters of one byte and of two: a length counts characters. */
const UNITS = ['x', 'é']

/** A name that does not occur in any schema of the format. */
const UNKNOWN_NAME = 'x_touchstone'

type PlaceMaker = (
  kind: PlaceKind,
  keyword: string,
  mutations: readonly Mutate[],
  more?: Partial<Pick<Place, 'at' | 'once' | 'others'>>,
) => Place

export function* schemaPlaces(reader: SchemaReader, root: SchemaNode): Generator<Place> {
  for (const visit of reader.walk(root)) {
    // The union yields the places of its discriminator.
    if (visit.isDiscriminator) continue
    const { node, steps, at, isBranch, isUnion } = visit
    const place: PlaceMaker = (kind, keyword, mutations, more = {}) => ({
      at,
      kind,
      constraint: node.pointer + keyword,
      steps,
      mutations,
      ...more,
    })
    // A type is a constraint of the whole union.
    if (!isBranch) yield* typePlaces(place, reader.types(node))
    if (isUnion) yield* tagPlaces(place, visit)
    else {
      yield* valuePlaces(place, node)
      yield* textPlaces(place, node)
      yield* sizePlaces(place, reader, node)
      yield* memberPlaces(place, visit)
    }
  }
}

function* typePlaces(place: PlaceMaker, types: readonly string[]): Generator<Place> {
  if (types.length === 0) return
  yield place('type', '', otherTypes(types), {
    once: falsyOthers(types),
    others: anyOtherType(types).map(replace),
  })
  if (!types.includes('null')) yield place('null', '', [replace(null)])
}

/** A value of each type that is not accepted, and the valid value as a string. */
function otherTypes(types: readonly string[]): readonly Mutate[] {
  const lacks = (type: string): boolean => !types.includes(type)
  const mutations: Mutate[] = []
  if (lacks('string')) mutations.push(replace('one'), (value) => ({ value: JSON.stringify(value), path: [] }))
  if (lacks('number') && lacks('integer')) mutations.push(replace(1))
  if (lacks('boolean')) mutations.push(replace(true))
  else if (lacks('number')) mutations.push(replace(0))
  if (lacks('array')) mutations.push((value) => ({ value: [value], path: [] }))
  if (lacks('object')) mutations.push((value) => ({ value: { value }, path: [] }))
  return mutations
}

/** The values that a careless test takes for absence, by their types. */
const FALSY = [
  ['boolean', false],
  ['number', 0],
  ['string', ''],
  ['array', []],
  ['object', {}],
] as const

function falsyOthers(types: readonly string[]): readonly Mutate[] {
  const accepted = new Set(types.map((type) => (type === 'integer' ? 'number' : type)))
  // `otherTypes` has 0 if a boolean is accepted.
  if (accepted.has('boolean')) accepted.add('number')
  return FALSY.flatMap(([type, value]) => (accepted.has(type) ? [] : [replace(value)]))
}

/** A few small values of each type. */
const valuesByType: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  string: fc.string(),
  number: fc.integer(),
  boolean: fc.boolean(),
  array: fc.array(fc.integer(), { maxLength: 2 }),
  object: fc.dictionary(fc.string(), fc.integer(), { maxKeys: 2, noNullPrototype: true }),
}

function anyOtherType(types: readonly string[]): fc.Arbitrary<Json> {
  const accepted = new Set(types.map((type) => (type === 'integer' ? 'number' : type)))
  return fc.oneof(
    ...Object.entries(valuesByType).flatMap(([type, value]) => (accepted.has(type) ? [] : [value])),
  )
}

function* tagPlaces(place: PlaceMaker, { node, at }: VisitedSchema): Generator<Place> {
  const tag = node.schema.discriminator?.propertyName
  if (tag === undefined) return
  const more = { at: memberAt(at, tag) }
  const upperCase: Mutate = (value) => put(tag)(String(object(value)[tag] ?? '').toUpperCase())(value)
  yield place('unknown', '', [...['touchstone', ''].map(put(tag)), upperCase], more)
  yield place('type', '', [1, true, [], {}].map(put(tag)), { ...more, once: [0, false].map(put(tag)) })
}

/** Strings that are almost one of the listed values. */
function nearMisses(values: readonly Json[]): readonly Json[] {
  const first = String(values.find((value) => typeof value === 'string') ?? '')
  return ['touchstone', first.toUpperCase(), `${first} `, ''].filter((value) => !values.includes(value))
}

function* valuePlaces(place: PlaceMaker, { schema }: SchemaNode): Generator<Place> {
  if (schema.enum !== undefined)
    yield place(
      'unknown',
      schema.const === undefined ? '/enum' : '/const',
      nearMisses(schema.enum).map(replace),
    )

  const isInteger = [schema.type ?? []].flat().includes('integer')
  const step = isInteger ? 1 : SMALL_STEP
  const { minimum: min, maximum: max } = schema
  if (min !== undefined) yield* boundPlaces(place, ['lower', 'below', '/minimum'], min, -step)
  if (max !== undefined) yield* boundPlaces(place, ['upper', 'above', '/maximum'], max, step)
  if (Number.isSafeInteger(min) && Number.isSafeInteger(max))
    yield place('inside', '', [Number(min) + step, Number(max) - step].map(replace))
  if (isInteger) {
    yield place('fraction', '/type', [replace(1.5)])
    yield place('whole', '/type', [replace(ONE_POINT_ZERO)])
  }
}

function* boundPlaces(
  place: PlaceMaker,
  [on, beyond, keyword]: readonly [on: PlaceKind, beyond: PlaceKind, keyword: string],
  bound: number,
  step: number,
): Generator<Place> {
  // One step beyond such a bound is the same number in floating point.
  if (!Number.isSafeInteger(bound)) return yield place(beyond, keyword, [bound * 2, bound * 1e6].map(replace))
  yield place(on, keyword, [replace(bound)])
  const far = fc.integer({ min: 1, max: 1000 }).map((steps) => replace(bound + steps * step))
  // A second step, because no row judges a token limit of 0, which is the first step beyond its bound.
  yield place(beyond, keyword, [bound + step, bound + 2 * step].map(replace), { others: far })
}

function* textPlaces(place: PlaceMaker, { schema }: SchemaNode): Generator<Place> {
  const { pattern, minLength = 0, maxLength } = schema
  if (pattern !== undefined) {
    const matching = new RegExp(pattern)
    for (const [kind, wanted] of [
      ['characters', true],
      ['bad-characters', false],
    ] as const)
      yield place(
        kind,
        '/pattern',
        PATTERN_TEXTS.filter((text) => matching.test(text) === wanted).map(replace),
      )
  }
  if (minLength > 0) yield place('too-few', '/minLength', [replace('x'.repeat(minLength - 1))])
  if (maxLength !== undefined) {
    const texts = (length: number) => UNITS.map((unit) => replace(unit.repeat(length)))
    const longer = fc.integer({ min: 1, max: 8 }).map((more) => replace('😀'.repeat(maxLength + more)))
    yield place('longest', '/maxLength', texts(maxLength))
    yield place('too-long', '/maxLength', texts(maxLength + 1), { others: longer })
  }
}

function* sizePlaces(place: PlaceMaker, reader: SchemaReader, node: SchemaNode): Generator<Place> {
  const { minItems = 0, maxItems, propertyNames = {}, maxProperties } = node.schema
  const values = new SchemaValues(reader, simplest)
  const part = (step: SchemaStep, nth = 0) => values.value(reader.step(node, step), nth)
  const items = (length: number) => replace(Array.from({ length }, (_, nth) => part({ to: 'item' }, nth)))
  if (minItems > 0) yield place('too-few', '/minItems', [items(minItems - 1)])
  if (maxItems !== undefined) {
    yield place('most', '/maxItems', [items(maxItems)])
    yield place('too-many', '/maxItems', [items(maxItems + 1)])
  }
  const members = (...names: readonly string[]) =>
    replace(Object.fromEntries(names.map((name) => [name, part({ to: 'member' })])))
  if (maxProperties !== undefined) {
    const names = (length: number) => Array.from({ length }, (_, nth) => `k${nth}`)
    yield place('most', '/maxProperties', [members(...names(maxProperties))])
    yield place('too-many', '/maxProperties', [members(...names(maxProperties + 1))])
  }
  const { maxLength: longest, pattern } = propertyNames
  if (pattern !== undefined) {
    const names = PATTERN_TEXTS.filter((text) => !new RegExp(pattern).test(text))
    yield place(
      'bad-characters',
      '/propertyNames',
      names.map((name) => members(name)),
    )
  }
  if (longest !== undefined) {
    const named = (length: number) => UNITS.map((unit) => members(unit.repeat(length)))
    yield place('longest', '/propertyNames', named(longest))
    // A check of the first name alone would miss a long one behind short ones.
    yield place('too-long', '/propertyNames', [
      ...named(longest + 1),
      members('a', 'b', 'x'.repeat(longest + 1)),
    ])
  }
}

function* memberPlaces(place: PlaceMaker, { node: { schema }, at }: VisitedSchema): Generator<Place> {
  for (const [index, name] of (schema.required ?? []).entries())
    yield place('missing', `/required/${index}`, [remove(name)], { at: memberAt(at, name) })
  if (schema.additionalProperties === false)
    yield place('extra', '/additionalProperties', [1, 'a', {}].map(put(UNKNOWN_NAME)), {
      at: memberAt(at, '*'),
    })
}
