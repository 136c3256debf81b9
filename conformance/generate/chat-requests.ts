// Chat completion requests from the schema of an OpenAPI document: valid ones, and requests with one value of one place of
// the schema, in the smallest request of their kind or in a random one.
import * as fc from 'fast-check'
import { at } from '../../harness/json-value.ts'
import { SchemaReader, type Json, type JsonObject, type SchemaNode } from '../../spec/openapi/schema-walk.ts'
import { type Located, SchemaValues, simplest } from '../../spec/openapi/schema-values.ts'
import { fieldRules } from './field-rules.ts'
import { companions, keepRules } from './keep-rules.ts'
import { type Mutate, mutateAt, object, showPath } from './mutations.ts'
import { type ValueOptions, randomValue } from './random-values.ts'
import { requestSchema } from './request-schema.ts'
import { ONE_POINT_ZERO, type Place, isAccepted, schemaPlaces } from './schema-places.ts'

/** The third of three elements, for services that check only the first one or two. */
const LATER = 2

export interface RequestOptions extends ValueOptions {
  /** The optional fields that may occur; the fields that they need are added. Default: all. */
  readonly fields?: readonly string[]
  /** Names of schemas that may not occur, for example `ImagePart` or `DeveloperMessage`. */
  readonly without?: readonly string[]
}

/** A request with one value of a place. */
export interface MutatedRequest {
  readonly place: Place
  readonly body: Json
  /** The place in this body as an answer names it, for example `messages[2].role`; '' for the body. */
  readonly at: string
  readonly value: unknown
}

/** A body in JSON. */
export function bodyText(body: unknown): string {
  return JSON.stringify(body).replaceAll(JSON.stringify(ONE_POINT_ZERO), '1.0')
}

export class ChatRequests {
  readonly #document: unknown
  readonly #options: RequestOptions
  readonly #root: SchemaNode
  /** Every place that a request can have, and the rules between its fields. */
  readonly places: readonly Place[]

  constructor(document: unknown, options: RequestOptions = {}) {
    this.#document = document
    this.#options = options
    const reader = this.#reader()
    this.#root = requestSchema(reader)
    const { fields } = options
    const rules = fieldRules.filter(([field]) => field === 'messages' || (fields?.includes(field) ?? true))
    this.places = [...schemaPlaces(reader, this.#root), ...rules.map(([, rule]) => rule)]
  }

  /** Requests that are valid as a whole, including the rules between fields. Default: with any text as model. */
  valid(model?: string): fc.Arbitrary<JsonObject> {
    return randomValue(
      this.#reader(),
      (values) => object(this.#kept(values.along(this.#root, []), model).value),
      this.#options,
    )
  }

  /** Each value of a place in the smallest request that has the place, in the first element and in a later one. */
  smallest(place: Place, model: string): readonly MutatedRequest[] {
    const hasSeveral = place.steps.some(({ to }) => to === 'item' || to === 'member')
    return (hasSeveral ? [0, LATER] : [0]).flatMap((nth) =>
      this.#smallestAt(place, model, nth, place.mutations),
    )
  }

  /** The values that are tried once, in the first element. */
  once(place: Place, model: string): readonly MutatedRequest[] {
    return this.#smallestAt(place, model, 0, place.once ?? [])
  }

  #smallestAt(place: Place, model: string, nth: number, mutations: readonly Mutate[]) {
    const values = new SchemaValues(this.#reader(), simplest)
    const valid = this.#kept(values.along(this.#root, place.steps, nth), model, place)
    return mutations.map((mutate) => mutated(valid, mutate, place))
  }

  /** Random requests with a value of the place; its kind of mutation is as likely as each of the others. */
  random(place: Place, model?: string): fc.Arbitrary<MutatedRequest> {
    const valid = randomValue(
      // Fields that need the field at the place are left out: they would break a rule, too.
      this.#reader(place.kind === 'rule' ? undefined : fieldOf(place)),
      (values) => this.#kept(values.along(this.#root, place.steps), model, place),
      this.#options,
    )
    const listed = fc.constantFrom(...place.mutations)
    const mutation = place.others === undefined ? listed : fc.oneof(listed, place.others)
    return fc.tuple(valid, mutation).map(([valid, mutate]) => mutated(valid, mutate, place))
  }

  /** Random invalid requests; each accepted place is equally likely. Throws `RangeError` if none is accepted. */
  invalid(accept: (place: Place) => boolean = () => true, model?: string): fc.Arbitrary<MutatedRequest> {
    const accepted = this.places.filter((place) => !isAccepted(place) && accept(place))
    if (accepted.length === 0) throw new RangeError('no constraint is accepted')
    // Shrinking keeps the place, because another place would be another failure.
    return fc.noShrink(fc.constantFrom(...accepted)).chain((place) => this.random(place, model))
  }

  #reader(apart?: string): SchemaReader {
    const { fields, without = [] } = this.#options
    const root = requestSchema(new SchemaReader(this.#document)).pointer
    const mayHave = (name: string): boolean =>
      (fields?.includes(name) ?? true) && (apart === undefined || companions[name] !== apart)
    return new SchemaReader(this.#document, {
      mayHave: (pointer, name) => pointer !== root || mayHave(name),
      mayBe: (pointer) => !without.includes(pointer.slice(pointer.lastIndexOf('/') + 1)),
    })
  }

  /** Keeps the rules between fields, and sets the model unless it is at the place. */
  #kept({ value, path }: Located, model?: string, place?: Place): Located<JsonObject> {
    const body = object(value)
    return keepRules({
      value: model === undefined || place?.at === 'model' ? body : { ...body, model },
      path,
    })
  }
}

/** The top-level field of a place. */
export function fieldOf({ at }: Pick<Place, 'at'>): string {
  return at.split(/[.[]/)[0] ?? ''
}

function mutated(valid: Located, mutate: Mutate, place: Place): MutatedRequest {
  const { value: body, path } = mutateAt(valid, mutate)
  return { place, body, at: showPath(path), value: at(body, ...path) }
}
