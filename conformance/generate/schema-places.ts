// The constraints of a schema and the mutations that break them, each exactly one constraint at one place.
import * as fc from 'fast-check'
import {
  type SchemaNode,
  type SchemaReader,
  type Step,
  type VisitedSchema,
  memberAt,
} from '../../spec/openapi/schema-walk.ts'
import { type Mutate, addMember, put, remove, replace, shorten } from './mutate.ts'
import type { ValueGenerator } from './schema-values.ts'
import * as wrong from './wrong-values.ts'

/** The kinds of constraint; `names` is for the keys of a dictionary, `rule` for rules between fields. */
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
  /** The field, for example `messages[].role`; `[]` is any item and `*` any member. */
  readonly at: string
  readonly kind: ConstraintKind
  /** JSON pointer into the document: the keyword that is broken, or for a type the schema that accepts others. */
  readonly constraint: string
}

export interface SchemaPlace extends Place {
  readonly steps: readonly Step[]
  /** Mutations of the valid value there. */
  readonly mutate: () => fc.Arbitrary<Mutate>
}

interface Context {
  readonly reader: SchemaReader
  readonly generator: ValueGenerator
}

export function* schemaPlaces(context: Context, root: SchemaNode): Generator<SchemaPlace> {
  for (const visit of context.reader.walk(root)) {
    // The union yields what can be wrong with its discriminator.
    if (visit.isDiscriminator) continue
    const place = placeMaker(visit)
    // A type is a constraint of the whole union.
    if (!visit.isBranch) yield* typePlaces(context, visit.node, place)
    if (visit.isUnion) yield* tagPlaces(place, visit)
    else {
      yield* valuePlaces(place, visit.node)
      yield* sizePlaces(context, place, visit.node)
      yield* memberPlaces(place, visit)
    }
  }
}

type PlaceMaker = (
  kind: ConstraintKind,
  keyword: string,
  mutate: SchemaPlace['mutate'],
  placeAt?: string,
) => SchemaPlace

function placeMaker({ node, steps, at }: VisitedSchema): PlaceMaker {
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
  yield place('type', '', () => wrong.otherType(types).map(replace))
  if (!types.includes('null')) yield place('null', '', () => fc.constant(replace(null)))
}

function* tagPlaces(place: PlaceMaker, { node, at }: VisitedSchema): Generator<SchemaPlace> {
  const tag = node.schema.discriminator?.propertyName
  if (tag === undefined) return
  const putTag = put(tag)
  yield place('enum', '', () => wrong.word(3, 12).map((text) => putTag(`${text}_`)), memberAt(at, tag))
  yield place('type', '', () => fc.oneof(fc.integer(), fc.boolean()).map(putTag), memberAt(at, tag))
}

function* memberPlaces(place: PlaceMaker, { node: { schema }, at }: VisitedSchema): Generator<SchemaPlace> {
  for (const [index, name] of (schema.required ?? []).entries())
    yield place('missing', `/required/${index}`, () => fc.constant(remove(name)), memberAt(at, name))
  if (schema.additionalProperties === false)
    yield place(
      'unknown',
      '/additionalProperties',
      () => wrong.unknownMember(schema.properties).map(([name, value]) => put(name)(value)),
      memberAt(at, '*'),
    )
}

function* valuePlaces(place: PlaceMaker, { schema }: SchemaNode): Generator<SchemaPlace> {
  const { minimum, maximum, pattern, minLength, maxLength } = schema
  const isInteger = [schema.type ?? []].flat().includes('integer')
  if (isInteger) yield place('integer', '/type', () => wrong.fraction(minimum, maximum).map(replace))
  if (minimum !== undefined)
    yield place('range', '/minimum', () => wrong.beyond(minimum, -1, isInteger).map(replace))
  if (maximum !== undefined)
    yield place('range', '/maximum', () => wrong.beyond(maximum, 1, isInteger).map(replace))
  const values = schema.enum
  if (values !== undefined)
    yield place('enum', schema.const === undefined ? '/enum' : '/const', () =>
      wrong.notOneOf(values).map(replace),
    )
  if (pattern !== undefined) yield place('pattern', '/pattern', () => wrong.notMatching(pattern).map(replace))
  if (minLength !== undefined)
    yield place('length', '/minLength', () => fc.constant(replace('x'.repeat(minLength - 1))))
  if (maxLength !== undefined)
    yield place('length', '/maxLength', () => wrong.tooLong(maxLength).map(replace))
}

function* sizePlaces({ reader, generator }: Context, place: PlaceMaker, node: SchemaNode) {
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
  const named = (name: fc.Arbitrary<string>) => fc.tuple(name, part({ to: 'member' })).map(addMember)
  if (pattern !== undefined) yield place('names', '/propertyNames', () => named(wrong.notMatching(pattern)))
  if (maxLength !== undefined) yield place('names', '/propertyNames', () => named(wrong.tooLong(maxLength)))
}
