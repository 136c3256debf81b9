// Chat completion requests for properties, derived from an OpenAPI document: valid ones, and such as break exactly
// one constraint of it.
import * as fc from 'fast-check'
import { requestSchema } from './document.ts'
import { type Rule, rules } from './rule-mutations.ts'
import { type LocatedRequest, companions, keepRules } from './keep-rules.ts'
import { object, mutateAt } from './schema-mutations.ts'
import { type ConstraintKind, type Place, type SchemaPlace, schemaPlaces } from './schema-places.ts'
import { type Json, type JsonObject, type SchemaNode, SchemaReader } from './schema-node.ts'
import { type Path, ValueGenerator } from './schema-values.ts'

export type { ConstraintKind, Json, JsonObject, Place }

export interface RequestOptions {
  /** The model of every request, where the model is not what is broken. Default: any text. */
  readonly model?: string
  /** The optional fields that may occur; those that they need come along. Default: all. */
  readonly fields?: readonly string[]
  /** Names of schemas that may not occur, as `ImagePart` or `DeveloperMessage`. */
  readonly without?: readonly string[]
  /** Adds members that the format does not know inside messages, where they are tolerated. Default: none. */
  readonly unknownMembers?: boolean
}

export interface MutationOptions extends RequestOptions {
  /** Which places are broken. Default: all. */
  readonly accept?: (place: Place) => boolean
}

/** An invalid request: `at` is the field at fault as an answer names it, as `messages[0].role`; '' for the body. */
export interface MutatedRequest extends Place {
  readonly body: Json
}

/** Requests that are valid as a whole, rules between fields included. */
export function validRequest(document: unknown, options: RequestOptions = {}): fc.Arbitrary<JsonObject> {
  const { root, generator } = prepare(document, options)
  return located(generator.along(root, []), options).map(({ body }) => body)
}

/** Requests that break exactly one constraint, each of those that `accept` takes as often as every other. */
export function mutatedRequest(
  document: unknown,
  options: MutationOptions = {},
): fc.Arbitrary<MutatedRequest> {
  const { accept = () => true } = options
  const accepted = mutatedRequests(document, options).filter(({ place }) => accept(place))
  if (accepted.length === 0) throw new RangeError('no place is left to break')
  // Another place would be another failure: shrinking keeps to the place.
  return fc.noShrink(fc.constantFrom(...accepted)).chain(({ broken }) => broken())
}

/** The same, place by place. */
export function mutatedRequests(
  document: unknown,
  options: RequestOptions = {},
): { readonly place: Place; readonly broken: () => fc.Arbitrary<MutatedRequest> }[] {
  const prepared = memoize((apart: string | undefined) => prepare(document, options, apart))
  const breaking = memoize((place: SchemaPlace | Rule) =>
    'field' in place ? mutatedRule(prepared(undefined), place, options) : mutatedAt(prepared, place, options),
  )
  return places(document, options).map((place) => ({ place, broken: () => breaking(place) }))
}

interface Prepared {
  readonly reader: SchemaReader
  readonly generator: ValueGenerator
  readonly root: SchemaNode
}

/** Makes what generates requests; without the fields whose rule is broken as soon as the field `apart` is. */
function prepare(
  document: unknown,
  { fields, without, unknownMembers = false }: RequestOptions,
  apart?: string,
): Prepared {
  const reader = new SchemaReader(document)
  const root = requestSchema(reader)
  const generator = new ValueGenerator(reader, {
    unknownMembers,
    mayHave: (pointer, name) =>
      pointer !== root.pointer ||
      ((fields === undefined || fields.includes(name)) &&
        (apart === undefined || companions[name] !== apart)),
    mayBe: (pointer) => !without?.includes(pointer.slice(pointer.lastIndexOf('/') + 1)),
  })
  return { reader, generator, root }
}

/** Every constraint that a request can break, and how. */
export function places(document: unknown, options: RequestOptions): readonly (SchemaPlace | Rule)[] {
  const { fields } = options
  const ofFields = rules.filter(
    ({ field }) => field === null || fields === undefined || fields.includes(field),
  )
  const prepared = prepare(document, options)
  return [...schemaPlaces(prepared, prepared.root), ...ofFields]
}

/** Breaks a place in a request that keeps all rules, and has no field whose rule would be broken with it. */
function mutatedAt(
  prepared: (apart: string | undefined) => Prepared,
  place: SchemaPlace,
  options: RequestOptions,
): fc.Arbitrary<MutatedRequest> {
  const [field = ''] = place.at.split(/[.[]/)
  const isCompanion = Object.values(companions).includes(field)
  const { generator, root } = prepared(isCompanion ? field : undefined)
  return fc
    .tuple(located(generator.along(root, place.steps), options, place.at), place.mutate())
    .map(([{ body, path }, mutate]) => {
      const mutated = mutateAt({ value: body, path }, mutate)
      return broken(place, mutated.path, mutated.value)
    })
}

function mutatedRule(
  { generator, root }: Prepared,
  rule: Rule,
  options: RequestOptions,
): fc.Arbitrary<MutatedRequest> {
  return fc.tuple(located(generator.along(root, []), options), rule.mutate()).map(([valid, mutate]) => {
    const { body, path } = mutate(valid.body)
    return broken(rule, path, body)
  })
}

function broken({ kind, constraint }: Place, path: Path, body: Json): MutatedRequest {
  const at = path
    .map((key, depth) => (typeof key === 'number' ? `[${key}]` : depth === 0 ? key : `.${key}`))
    .join('')
  return { at, kind, constraint, body }
}

function memoize<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>()
  return (key) => {
    const value = made.get(key) ?? make(key)
    made.set(key, value)
    return value
  }
}

function located(
  arbitrary: ReturnType<ValueGenerator['along']>,
  { model }: RequestOptions,
  at?: string,
): fc.Arbitrary<LocatedRequest> {
  return arbitrary.map(({ value, path }) => {
    const body = object(value)
    return keepRules({ body: model === undefined || at === 'model' ? body : { ...body, model }, path })
  })
}
