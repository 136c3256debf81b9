// The edges of a schema: for each of its places the values at a bound, just inside it and just outside it, and values of
// every other type. They do not depend on chance.
import {
  type Json,
  type SchemaNode,
  type SchemaReader,
  type Step,
  type VisitedSchema,
  memberAt,
} from '../../spec/openapi/schema-walk.ts'
import { type Mutate, object, put, replace } from './mutate.ts'
import type { SmallestValues } from './smallest-values.ts'

/** On a bound or one step within, or characters that a pattern accepts; `whole` is a number such as `1.0` for an integer. */
const ACCEPTED = ['lower', 'upper', 'inside', 'whole', 'longest', 'characters', 'most'] as const

/** One step beyond a bound. */
type Beyond = 'below' | 'above' | 'too-few' | 'too-many' | 'too-long'

/** The side of an edge; `unknown` is a value that is not listed, and `type` another JSON type. */
export type EdgeKind = (typeof ACCEPTED)[number] | Beyond | 'fraction' | 'unknown' | 'bad-characters' | 'type'

/** The values of one edge of one place. */
export interface SchemaEdge {
  /** The place, for example `messages[].role`; `[]` is any item and `*` any member. */
  readonly at: string
  readonly kind: EdgeKind
  readonly accepted: boolean
  /** JSON pointer of the schema of the place. */
  readonly pointer: string
  readonly steps: readonly Step[]
  /** Each replaces a valid value with one value of this edge. */
  readonly mutations: readonly Mutate[]
}

/** Stands for the number 1.0, which `JSON.stringify` would write as 1. */
export const ONE_POINT_ZERO = '@1.0'

/** One step from the bound of a number that may have a fraction. */
const SMALL_STEP = 0.01

const PATTERN_TEXTS = ['A-z_09', 'x', 'x'.repeat(64), '', 'a b', 'a/b', 'é', 'a\n', '😀', 'x'.repeat(65)]

/** Characters of one byte and of two: a length counts characters. */
const UNITS = ['x', 'é']

interface Context {
  readonly reader: SchemaReader
  readonly smallest: SmallestValues
}

type EdgeMaker = (kind: EdgeKind, mutations: readonly Mutate[], at?: string) => SchemaEdge

export function* schemaEdges(context: Context, root: SchemaNode): Generator<SchemaEdge> {
  for (const visit of context.reader.walk(root)) {
    // The union yields what can be wrong with its discriminator.
    if (visit.isDiscriminator) continue
    const { node, steps, at, isBranch, isUnion } = visit
    const edge: EdgeMaker = (kind, mutations, edgeAt = at) => ({
      at: edgeAt,
      kind,
      accepted: ACCEPTED.some((accepted) => accepted === kind),
      pointer: node.pointer,
      steps,
      mutations,
    })
    const types = isBranch || at === '' ? [] : context.reader.types(node)
    if (types.length > 0) yield edge('type', otherTypes(types))
    if (isUnion) yield* tagEdges(edge, visit)
    else {
      yield* valueEdges(edge, node)
      yield* textEdges(edge, node)
      yield* sizeEdges(edge, context, node)
    }
  }
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

/** Strings that are almost one of the listed values. */
function nearMisses(values: readonly Json[]): readonly Json[] {
  const first = values.find((value) => typeof value === 'string')
  return ['touchstone', String(first ?? '').toUpperCase(), `${String(first ?? '')} `, ''].filter(
    (value) => !values.includes(value),
  )
}

function* tagEdges(edge: EdgeMaker, { node, at }: VisitedSchema): Generator<SchemaEdge> {
  const tag = node.schema.discriminator?.propertyName
  if (tag === undefined) return
  const upperCase: Mutate = (value) => put(tag)(String(object(value)[tag] ?? '').toUpperCase())(value)
  yield edge('unknown', [...['touchstone', ''].map(put(tag)), upperCase], memberAt(at, tag))
  yield edge('type', [1, true, [], {}].map(put(tag)), memberAt(at, tag))
}

function* valueEdges(edge: EdgeMaker, { schema }: SchemaNode): Generator<SchemaEdge> {
  const values = (kind: EdgeKind, ...listed: readonly Json[]): SchemaEdge => edge(kind, listed.map(replace))
  if (schema.enum !== undefined) yield values('unknown', ...nearMisses(schema.enum))

  const isInteger = [schema.type ?? []].flat().includes('integer')
  const step = isInteger ? 1 : SMALL_STEP
  const [min, max] = [schema.minimum, schema.maximum].map((bound) =>
    Number.isSafeInteger(bound) ? bound : undefined,
  )
  if (min !== undefined) {
    yield values('lower', min)
    // No row judges a token limit of 0: the second step is beyond that bound too.
    yield values('below', min - step, min - 2 * step)
  }
  if (max !== undefined) {
    yield values('upper', max)
    yield values('above', max + step, max + 2 * step)
  }
  if (min !== undefined && max !== undefined) yield values('inside', min + step, max - step)
  if (isInteger) {
    yield values('fraction', 1.5)
    yield values('whole', ONE_POINT_ZERO)
  }
}

function* textEdges(edge: EdgeMaker, { schema: { pattern, maxLength } }: SchemaNode): Generator<SchemaEdge> {
  if (pattern !== undefined) {
    const matching = new RegExp(pattern)
    const [good = [], bad = []] = [true, false].map((wanted) =>
      PATTERN_TEXTS.filter((text) => matching.test(text) === wanted).map(replace),
    )
    yield edge('characters', good)
    yield edge('bad-characters', bad)
  }
  if (maxLength !== undefined) {
    const texts = (length: number) => UNITS.map((unit) => replace(unit.repeat(length)))
    yield edge('longest', texts(maxLength))
    yield edge('too-long', texts(maxLength + 1))
  }
}

function* sizeEdges(edge: EdgeMaker, { reader, smallest }: Context, node: SchemaNode): Generator<SchemaEdge> {
  const { minItems = 0, maxItems, propertyNames, maxProperties } = node.schema
  const part = (step: Step, nth = 0) => smallest.value(reader.step(node, step), nth)
  const items = (length: number) => replace(Array.from({ length }, (_, nth) => part({ to: 'item' }, nth)))
  if (minItems > 0) yield edge('too-few', [items(minItems - 1)])
  if (maxItems !== undefined) {
    yield edge('most', [items(maxItems)])
    yield edge('too-many', [items(maxItems + 1)])
  }
  const members = (...names: readonly string[]) =>
    replace(Object.fromEntries(names.map((name) => [name, part({ to: 'member' })])))
  if (maxProperties !== undefined) {
    const names = (length: number) => Array.from({ length }, (_, nth) => `k${nth}`)
    yield edge('most', [members(...names(maxProperties))])
    yield edge('too-many', [members(...names(maxProperties + 1))])
  }
  const longest = propertyNames?.maxLength
  if (longest !== undefined) {
    const named = (length: number) => UNITS.map((unit) => members(unit.repeat(length)))
    yield edge('longest', named(longest))
    // A long name may stand behind short ones.
    yield edge('too-long', [...named(longest + 1), members('a', 'b', 'x'.repeat(longest + 1))])
  }
}
