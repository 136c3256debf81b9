// The mutations of a value of a schema: each one breaks exactly one constraint, at one place.
import * as fc from 'fast-check'
import type { SchemaNode, SchemaReader, Step } from './schema-node.ts'
import {
  type Mutate,
  addMember,
  beyond,
  fraction,
  notMatching,
  notOneOf,
  otherType,
  put,
  remove,
  replace,
  shorten,
  tooLong,
  unknownMember,
  word,
} from './schema-mutations.ts'
import type { ValueGenerator } from './schema-values.ts'

/**
 * What is wrong with a value: its JSON type; null where null is not accepted; a fraction where an integer is asked
 * for; a number out of its range; none of the listed values; a member missing or unknown; too few or too many items;
 * too short or too long a text; a text that does not match; too many members; a key that is not accepted; a rule
 * between fields.
 */
export type ConstraintKind =
  | 'type'
  | 'null'
  | 'integer'
  | 'range'
  | 'enum'
  | 'missing'
  | 'unknown'
  | 'items'
  | 'length'
  | 'pattern'
  | 'properties'
  | 'names'
  | 'rule'

/** One constraint, which a mutation breaks. */
export interface Place {
  /** The field, as `messages[].role`; `[]` is any item and `*` any member. */
  readonly at: string
  readonly kind: ConstraintKind
  /** JSON pointer into the document: the keyword that is broken, or for a type the schema that accepts others. */
  readonly constraint: string
}

/** A place in a schema, with the way there and the way to mutate what stands there. */
export interface SchemaPlace extends Place {
  readonly steps: readonly Step[]
  /** What makes the valid value there invalid. */
  readonly mutate: () => fc.Arbitrary<Mutate>
}

interface Context {
  readonly reader: SchemaReader
  readonly generator: ValueGenerator
}

/** Every constraint of `node` and of all its parts, with the way to break it. */
export function* schemaPlaces(
  context: Context,
  node: SchemaNode,
  steps: readonly Step[] = [],
  at = '',
): Generator<SchemaPlace> {
  const place = placeMaker(node, steps, at)
  yield* typePlaces(context, node, place)
  yield* partPlaces(context, node, steps, at)
}

/** What is not about the type: that is a matter of the whole union where `node` is a branch of one. */
function* partPlaces(
  context: Context,
  node: SchemaNode,
  steps: readonly Step[],
  at: string,
  discriminator?: string,
): Generator<SchemaPlace> {
  const { reader, generator } = context
  const { schema } = node
  const place = placeMaker(node, steps, at)
  const branches = generator.branches(node)
  if (branches.length > 0) {
    const tag = schema.discriminator?.propertyName
    if (tag !== undefined) yield* tagPlaces(place, at, tag)
    for (const branch of branches) yield* partPlaces(context, branch.node, [...steps, branch.step], at, tag)
    return
  }

  yield* valuePlaces(place, node)
  yield* sizePlaces(context, place, node)
  for (const [index, name] of (schema.required ?? []).entries())
    yield place('missing', `/required/${index}`, () => fc.constant(remove(name)), member(at, name))
  for (const name of generator.members(node)) {
    const step: Step = { to: 'property', name }
    // The tag of a union has been dealt with there.
    if (name !== discriminator)
      yield* schemaPlaces(context, reader.step(node, step), [...steps, step], member(at, name))
  }
  if (schema.additionalProperties === false)
    yield place('unknown', '/additionalProperties', () => unknownMember(schema.properties), member(at, '*'))
  if (typeof schema.additionalProperties === 'object' && reader.types(node).length > 0) {
    const step: Step = { to: 'member' }
    yield* schemaPlaces(context, reader.step(node, step), [...steps, step], member(at, '*'))
  }
  if (schema.items !== undefined) {
    const step: Step = { to: 'item' }
    yield* schemaPlaces(context, reader.step(node, step), [...steps, step], `${at}[]`)
  }
}

type PlaceMaker = (
  kind: ConstraintKind,
  keyword: string,
  mutate: SchemaPlace['mutate'],
  placeAt?: string,
) => SchemaPlace

function placeMaker(node: SchemaNode, steps: readonly Step[], at: string): PlaceMaker {
  return (kind, keyword, mutate, placeAt = at) => ({
    at: placeAt,
    kind,
    constraint: node.pointer + keyword,
    steps,
    mutate,
  })
}

function* typePlaces({ reader }: Context, node: SchemaNode, place: PlaceMaker): Generator<SchemaPlace> {
  const types = reader.types(node)
  if (types.length === 0) return
  yield place('type', '', () => otherType(types).map(replace))
  if (!types.includes('null')) yield place('null', '', () => fc.constant(replace(null)))
}

/** The member that sets the branches of a union apart. */
function* tagPlaces(place: PlaceMaker, at: string, tag: string): Generator<SchemaPlace> {
  const putTag = put(tag)
  yield place('enum', '', () => word(3, 12).map((text) => putTag(`${text}_`)), member(at, tag))
  yield place('type', '', () => fc.oneof(fc.integer(), fc.boolean()).map(putTag), member(at, tag))
}

function* valuePlaces(place: PlaceMaker, { schema }: SchemaNode): Generator<SchemaPlace> {
  const { minimum, maximum, pattern, minLength, maxLength } = schema
  const isInteger = [schema.type ?? []].flat().includes('integer')
  if (isInteger) yield place('integer', '/type', () => fraction(minimum, maximum).map(replace))
  if (minimum !== undefined)
    yield place('range', '/minimum', () => beyond(minimum, -1, isInteger).map(replace))
  if (maximum !== undefined)
    yield place('range', '/maximum', () => beyond(maximum, 1, isInteger).map(replace))
  const values = schema.enum
  if (values !== undefined)
    yield place('enum', schema.const === undefined ? '/enum' : '/const', () => notOneOf(values).map(replace))
  if (pattern !== undefined) yield place('pattern', '/pattern', () => notMatching(pattern).map(replace))
  if (minLength !== undefined)
    yield place('length', '/minLength', () => fc.constant(replace('x'.repeat(minLength - 1))))
  if (maxLength !== undefined) yield place('length', '/maxLength', () => tooLong(maxLength).map(replace))
}

function* sizePlaces(
  { reader, generator }: Context,
  place: PlaceMaker,
  node: SchemaNode,
): Generator<SchemaPlace> {
  const { minItems, maxItems, propertyNames, maxProperties } = node.schema
  const part = (step: Step) => generator.valid(reader.step(node, step))
  if (minItems !== undefined) yield place('items', '/minItems', () => fc.constant(shorten(minItems - 1)))
  if (maxItems !== undefined)
    yield place('items', '/maxItems', () =>
      fc
        .tuple(part({ to: 'item' }), fc.integer({ min: maxItems + 1, max: maxItems + 3 }))
        .map(([item, length]) => replace(Array.from({ length }, () => item))),
    )
  if (maxProperties !== undefined)
    yield place('properties', '/maxProperties', () =>
      part({ to: 'member' }).map((value) =>
        replace(
          Object.fromEntries(Array.from({ length: maxProperties + 1 }, (_, index) => [`k${index}`, value])),
        ),
      ),
    )
  const { pattern, maxLength } = propertyNames ?? {}
  if (pattern !== undefined)
    yield place('names', '/propertyNames', () =>
      fc.tuple(notMatching(pattern), part({ to: 'member' })).map(addMember),
    )
  if (maxLength !== undefined)
    yield place('names', '/propertyNames', () =>
      fc.tuple(tooLong(maxLength), part({ to: 'member' })).map(addMember),
    )
}

function member(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`
}
