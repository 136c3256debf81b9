// The edges of a schema: for each of its places the values at a bound, just inside and just outside of it, and of every
// other type. Derived from the schema, always the same ones, so that no edge is left to chance.
import type { Json, SchemaNode, SchemaReader, Step } from './schema-node.ts'
import { type Mutate, object, put, replace } from './schema-mutations.ts'

/**
 * Which side of which edge: on a bound (`lower`, `upper`, `most`, `longest`), a step within (`inside`), a step beyond
 * (`below`, `above`, `too-few`, `too-many`, `too-long`); a fraction or a whole number written with a point where an
 * integer is asked for; a value that is not listed; characters that a pattern has or has not; another JSON type.
 */
export type EdgeKind =
  | 'lower'
  | 'upper'
  | 'inside'
  | 'below'
  | 'above'
  | 'fraction'
  | 'whole'
  | 'unknown'
  | 'longest'
  | 'too-long'
  | 'characters'
  | 'bad-characters'
  | 'most'
  | 'too-few'
  | 'too-many'
  | 'type'

const ACCEPTED: ReadonlySet<EdgeKind> = new Set([
  'lower',
  'upper',
  'inside',
  'whole',
  'longest',
  'characters',
  'most',
])

/** The values of one edge of one place. */
export interface SchemaEdge {
  /** The place, as `messages[].role`; `[]` is any item and `*` any member. */
  readonly at: string
  readonly kind: EdgeKind
  /** Whether the schema accepts these values. */
  readonly accepted: boolean
  /** JSON pointer of the schema that stands there. */
  readonly pointer: string
  readonly steps: readonly Step[]
  /** Each puts one value of this edge in the place of a valid one. */
  readonly mutations: readonly Mutate[]
}

/** What the walk needs of whoever makes values: parts that may occur, and the smallest value of a part. */
export interface EdgeContext {
  readonly reader: SchemaReader
  branches(node: SchemaNode): ReturnType<SchemaReader['branches']>
  /** A valid value, another one for each `nth`. */
  smallest(node: SchemaNode, nth?: number): Json
}

/** Stands for the number 1.0, which JSON of this language cannot say. */
export const ONE_POINT_ZERO = '@1.0'

/** A step beside a bound of a number that need not be whole. */
const SMALL_STEP = 0.01

/** Candidates for texts of a pattern: those that match are its characters, the others are not. */
const PATTERN_TEXTS = ['A-z_09', 'x', 'x'.repeat(64), '', 'a b', 'a/b', 'é', 'a\n', '😀', 'x'.repeat(65)]

/** Characters of one and of two bytes: a length counts neither bytes. */
const UNITS = ['x', 'é']

/** Every edge of `node` and of its parts. */
export function* schemaEdges(
  context: EdgeContext,
  node: SchemaNode,
  steps: readonly Step[] = [],
  at = '',
): Generator<SchemaEdge> {
  const types = context.reader.types(node)
  if (at !== '' && types.length > 0) yield edge(node, steps, at, 'type', otherTypes(types))
  yield* partEdges(context, node, steps, at)
}

function* partEdges(
  context: EdgeContext,
  node: SchemaNode,
  steps: readonly Step[],
  at: string,
  discriminator?: string,
): Generator<SchemaEdge> {
  const { reader } = context
  const { schema } = node
  const branches = context.branches(node)
  if (branches.length > 0) {
    const tag = schema.discriminator?.propertyName
    if (tag !== undefined) yield* tagEdges(node, steps, at, tag)
    for (const branch of branches) yield* partEdges(context, branch.node, [...steps, branch.step], at, tag)
    return
  }
  yield* valueEdges(node, steps, at)
  yield* sizeEdges(context, node, steps, at)
  for (const name of Object.keys(schema.properties ?? {})) {
    const step: Step = { to: 'property', name }
    const place = at === '' ? name : `${at}.${name}`
    // The tag of a union has been dealt with there.
    if (name !== discriminator) yield* schemaEdges(context, reader.step(node, step), [...steps, step], place)
  }
  if (
    typeof schema.additionalProperties === 'object' &&
    Object.keys(schema.additionalProperties).length > 0
  ) {
    const step: Step = { to: 'member' }
    yield* schemaEdges(context, reader.step(node, step), [...steps, step], `${at}.*`)
  }
  if (schema.items !== undefined) {
    const step: Step = { to: 'item' }
    yield* schemaEdges(context, reader.step(node, step), [...steps, step], `${at}[]`)
  }
}

function edge(
  node: SchemaNode,
  steps: readonly Step[],
  at: string,
  kind: EdgeKind,
  mutations: readonly Mutate[],
): SchemaEdge {
  return { at, kind, accepted: ACCEPTED.has(kind), pointer: node.pointer, steps, mutations }
}

/** Values of each type that is not accepted, and the right value as a text. */
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

/** Words that are almost one of these. */
function nearMisses(values: readonly Json[]): readonly Json[] {
  const first = values.find((value) => typeof value === 'string')
  return ['touchstone', String(first ?? '').toUpperCase(), `${String(first ?? '')} `, ''].filter(
    (value) => !values.includes(value),
  )
}

/** The member that sets the branches of a union apart. */
function* tagEdges(node: SchemaNode, steps: readonly Step[], at: string, tag: string): Generator<SchemaEdge> {
  const place = at === '' ? tag : `${at}.${tag}`
  const others: Mutate = (value) => {
    const given = object(value)[tag] ?? ''
    return put(tag)(String(given).toUpperCase())(value)
  }
  const unknown = ['touchstone', ''].map(put(tag))
  yield edge(node, steps, place, 'unknown', [...unknown, others])
  yield edge(node, steps, place, 'type', [1, true, [], {}].map(put(tag)))
}

function* valueEdges(node: SchemaNode, steps: readonly Step[], at: string): Generator<SchemaEdge> {
  const { schema } = node
  const yielded = (kind: EdgeKind, values: readonly Json[]): SchemaEdge =>
    edge(node, steps, at, kind, values.map(replace))
  if (schema.enum !== undefined) yield yielded('unknown', nearMisses(schema.enum))

  const isInteger = [schema.type ?? []].flat().includes('integer')
  const step = isInteger ? 1 : SMALL_STEP
  const [min, max] = [schema.minimum, schema.maximum].map((bound) =>
    Number.isSafeInteger(bound) ? bound : undefined,
  )
  if (min !== undefined) {
    yield yielded('lower', [min])
    // A token limit of 0 is judged by nobody: one step more tells a bound from its neighbour.
    yield yielded('below', [min - step, min - 2 * step])
  }
  if (max !== undefined) {
    yield yielded('upper', [max])
    yield yielded('above', [max + step, max + 2 * step])
  }
  if (min !== undefined && max !== undefined) yield yielded('inside', [min + step, max - step])
  if (isInteger) {
    yield yielded('fraction', [1.5])
    yield yielded('whole', [ONE_POINT_ZERO])
  }
  yield* textEdges(node, steps, at)
}

function* textEdges(node: SchemaNode, steps: readonly Step[], at: string): Generator<SchemaEdge> {
  const { pattern, maxLength } = node.schema
  if (pattern !== undefined) {
    const form = new RegExp(pattern)
    const texts = (matching: boolean) =>
      PATTERN_TEXTS.filter((text) => form.test(text) === matching).map(replace)
    yield edge(node, steps, at, 'characters', texts(true))
    yield edge(node, steps, at, 'bad-characters', texts(false))
  }
  if (maxLength !== undefined) {
    const texts = (length: number) => UNITS.map((unit) => replace(unit.repeat(length)))
    yield edge(node, steps, at, 'longest', texts(maxLength))
    yield edge(node, steps, at, 'too-long', texts(maxLength + 1))
  }
}

function* sizeEdges(
  context: EdgeContext,
  node: SchemaNode,
  steps: readonly Step[],
  at: string,
): Generator<SchemaEdge> {
  const { minItems = 0, maxItems, propertyNames, maxProperties } = node.schema
  const part = (step: Step, nth = 0) => context.smallest(context.reader.step(node, step), nth)
  const items = (length: number) => replace(Array.from({ length }, (_, nth) => part({ to: 'item' }, nth)))
  if (minItems > 0) yield edge(node, steps, at, 'too-few', [items(minItems - 1)])
  if (maxItems !== undefined) {
    yield edge(node, steps, at, 'most', [items(maxItems)])
    yield edge(node, steps, at, 'too-many', [items(maxItems + 1)])
  }
  const members = (names: readonly string[]) =>
    replace(Object.fromEntries(names.map((name) => [name, part({ to: 'member' })])))
  if (maxProperties !== undefined) {
    const names = (length: number) => Array.from({ length }, (_, nth) => `k${nth}`)
    yield edge(node, steps, at, 'most', [members(names(maxProperties))])
    yield edge(node, steps, at, 'too-many', [members(names(maxProperties + 1))])
  }
  const longest = propertyNames?.maxLength
  if (longest !== undefined) {
    const named = (length: number) => UNITS.map((unit) => members([unit.repeat(length)]))
    yield edge(node, steps, at, 'longest', named(longest))
    // A long name may stand behind short ones.
    yield edge(node, steps, at, 'too-long', [
      ...named(longest + 1),
      members(['a', 'b', 'x'.repeat(longest + 1)]),
    ])
  }
}
