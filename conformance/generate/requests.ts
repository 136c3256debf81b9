// Chat completion requests for properties, derived from an OpenAPI document: valid ones, and requests that break exactly
// one constraint of it.
import * as fc from 'fast-check'
import type { Json, JsonObject } from '../../spec/openapi/schema-walk.ts'
import { memoizePer } from '../../harness/memoize.ts'
import { requestReader, requestSchema } from './document.ts'
import { companions, keepRules } from './keep-rules.ts'
import { type Located, mutateAt, object, showPath } from './mutate.ts'
import { type Rule, rules } from './rule-mutations.ts'
import { type ConstraintKind, type Place, type SchemaPlace, schemaPlaces } from './schema-places.ts'
import { ValueGenerator } from './schema-values.ts'

export type { ConstraintKind, Json, JsonObject, Place }

export interface RequestOptions {
  /** The model of every request, unless the model is what is broken. Default: any text. */
  readonly model?: string
  /** The optional fields that may occur; the fields that they need are added. Default: all. */
  readonly fields?: readonly string[]
  /** Names of schemas that may not occur, for example `ImagePart` or `DeveloperMessage`. */
  readonly without?: readonly string[]
  /** Adds unknown members inside messages, where the format tolerates them. Default: none. */
  readonly unknownMembers?: boolean
}

export interface MutationOptions extends RequestOptions {
  /** The places to break. Default: all. */
  readonly accept?: (place: Place) => boolean
}

/**
 * An invalid request: `at` is the field at fault as an answer names it, for example `messages[0].role`; '' for the
 * body.
 */
export interface MutatedRequest extends Place {
  readonly body: Json
}

/** Requests that are valid as a whole, including the rules between fields. */
export function validRequest(document: unknown, options: RequestOptions = {}): fc.Arbitrary<JsonObject> {
  const { root, generator } = prepare(document, options)
  return kept(generator.along(root, []), options).map(({ value }) => value)
}

/** Requests that break exactly one constraint; each accepted constraint is equally likely. */
export function mutatedRequest(
  document: unknown,
  options: MutationOptions = {},
): fc.Arbitrary<MutatedRequest> {
  const { accept = () => true } = options
  const accepted = mutatedRequests(document, options).filter(({ place }) => accept(place))
  if (accepted.length === 0) throw new RangeError('no constraint is accepted')
  // Another place would be another failure: shrinking keeps the place.
  return fc.noShrink(fc.constantFrom(...accepted)).chain(({ broken }) => broken())
}

/** The same, place by place. */
export function mutatedRequests(
  document: unknown,
  options: RequestOptions = {},
): { readonly place: Place; readonly broken: () => fc.Arbitrary<MutatedRequest> }[] {
  const known = new Map<string | undefined, Prepared>()
  const prepared = (apart: string | undefined): Prepared => {
    const made = known.get(apart) ?? prepare(document, options, apart)
    known.set(apart, made)
    return made
  }
  const mutated = memoizePer((place: SchemaPlace | Rule) =>
    mutatedAt(prepared(companionOf(place)), place, options),
  )
  return places(document, options).map((place) => ({ place, broken: () => mutated(place) }))
}

type Prepared = ReturnType<typeof prepare>

/** Without the fields that need `apart`: their rules would be broken with it. */
function prepare(
  document: unknown,
  { fields, without, unknownMembers = false }: RequestOptions,
  apart?: string,
) {
  const mayHave = (name: string): boolean =>
    (fields?.includes(name) ?? true) && (apart === undefined || companions[name] !== apart)
  const reader = requestReader(document, { without, mayHave })
  return { reader, generator: new ValueGenerator(reader, { unknownMembers }), root: requestSchema(reader) }
}

/** Every constraint that a request can break, and how. */
export function places(document: unknown, options: RequestOptions): readonly (SchemaPlace | Rule)[] {
  const { fields } = options
  const ofFields = rules.filter(({ field }) => field === null || (fields?.includes(field) ?? true))
  const prepared = prepare(document, options)
  return [...schemaPlaces(prepared, prepared.root), ...ofFields]
}

/** The field at a place, if other fields need it. A rule is about both fields. */
function companionOf(place: SchemaPlace | Rule): string | undefined {
  const [field = ''] = place.at.split(/[.[]/)
  return place.kind !== 'rule' && Object.values(companions).includes(field) ? field : undefined
}

function mutatedAt(
  { generator, root }: Prepared,
  { at, kind, constraint, steps, mutate: mutations }: SchemaPlace,
  options: RequestOptions,
): fc.Arbitrary<MutatedRequest> {
  return fc.tuple(kept(generator.along(root, steps), options, at), mutations()).map(([valid, mutate]) => {
    const { value, path } = mutateAt(kind === 'rule' ? { ...valid, path: [] } : valid, mutate)
    return { at: showPath(path), kind, constraint, body: value }
  })
}

/** Requests that keep the rules between fields, to the model of the options. */
function kept(arbitrary: fc.Arbitrary<Located>, { model }: RequestOptions, at?: string) {
  return arbitrary.map(({ value, path }) => {
    const body = object(value)
    return keepRules({ value: model === undefined || at === 'model' ? body : { ...body, model }, path })
  })
}
