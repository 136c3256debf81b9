// Values that a schema accepts, with or without a given place in them. The caller makes the choices that a schema
// leaves open: `simplest` always makes the same ones, `conformance/generate` random ones.
import type { Path } from '../schemas/request-issue.ts'
import type { Json, JsonObject, Schema, SchemaNode, SchemaReader, SchemaStep } from './schema-walk.ts'

export interface Located<Value extends Json = Json> {
  readonly value: Value
  readonly path: Path
}

/** Decides between the values that a schema accepts. */
export interface Choices {
  /** Whether an optional member is there, or a nullable value is null. */
  isRare(): boolean
  pick<Value>(among: readonly [Value, ...Value[]]): Value
  /** A number of elements from `least` to `most`; the simplest is `usual`. */
  count(usual: number, least: number, most: number): number
  /** A text in the element `nth` of its array or dictionary. */
  text(schema: Schema, nth: number): string
  /** The key of the member `nth` of a dictionary whose keys have this schema. */
  key(schema: Schema, nth: number): string
  number(schema: Schema): number
  /** A value for a schema that accepts any. */
  json(): Json
  /** Members that the format does not know, for an object that tolerates them. */
  unknownMembers(): JsonObject
  /** An item that replaces one from the schema. */
  item?(node: SchemaNode): Json | undefined
}

const MESSAGE: JsonObject = { role: 'user', content: 'Say hello.' }

/** The smallest values, whose texts differ from element to element. */
export const simplest: Choices = {
  isRare: () => false,
  pick: ([first]) => first,
  count: (usual) => usual,
  text: (_, nth) => `one_${nth}`,
  key: (_, nth) => String(nth),
  number: ({ minimum }) => Math.max(1, Number.isSafeInteger(minimum) ? Number(minimum) : 1),
  json: () => ({}),
  unknownMembers: () => ({}),
  item: ({ pointer }) => (pointer.endsWith('/Message') ? MESSAGE : undefined),
}

/** The most items of an array, unless its schema requires more, and the most members of a dictionary. */
const MOST_ITEMS = 2
const MOST_MEMBERS = 5

export class SchemaValues {
  readonly #reader: SchemaReader
  readonly #choices: Choices

  constructor(reader: SchemaReader, choices: Choices) {
    this.#reader = reader
    this.#choices = choices
  }

  /** A value that `node` accepts, for the element `nth` of its array or dictionary; it may break rules between members. */
  value(node: SchemaNode, nth = 0): Json {
    return this.#reader.types(node).includes('null') && this.#choices.isRare()
      ? null
      : this.present(node, nth)
  }

  /** A value that is not null. */
  present(node: SchemaNode, nth = 0): Json {
    const [branch, ...branches] = this.#reader
      .branches(node)
      .filter((candidate) => candidate.node.schema.type !== 'null')
    if (branch !== undefined) return this.present(this.#choices.pick([branch, ...branches]).node, nth)
    const { schema } = node
    const [first, ...others] = schema.enum?.filter((value) => value !== null) ?? []
    if (first !== undefined) return this.#choices.pick([first, ...others])
    switch (this.#reader.types(node).find((type) => type !== 'null')) {
      case 'string':
        return this.#choices.text(schema, nth)
      case 'integer':
      case 'number':
        return this.#choices.number(schema)
      case 'boolean':
        return this.#choices.pick([true, false])
      case 'array':
        return this.#array(node, nth)
      case 'object':
        return schema.properties === undefined ? this.#dictionary(node) : this.#object(node, nth)
      default:
        return this.#choices.json()
    }
  }

  /**
   * A value that has a value other than null at the end of `steps`; with the simplest choices it is in the element
   * `nth` of each array and dictionary.
   */
  along(node: SchemaNode, steps: readonly SchemaStep[], nth = 0): Located {
    const [step, ...rest] = steps
    if (step === undefined) return { value: this.present(node, nth), path: [] }
    const part = this.#reader.step(node, step)
    const { value, path } = this.along(part, rest, nth)
    switch (step.to) {
      case 'branch':
        return { value, path }
      case 'property':
        return {
          value: { ...this.#object(node, nth, step.name), [step.name]: value },
          path: [step.name, ...path],
        }
      case 'item': {
        const before = this.#items(part, this.#choices.count(nth, 0, 1))
        return { value: [...before, value], path: [before.length, ...path] }
      }
      case 'member': {
        const others = this.#members(node, this.#choices.count(nth, 0, 1))
        const key = this.#key(node, nth)
        return { value: { ...others, [key]: value }, path: [key, ...path] }
      }
    }
  }

  #array(node: SchemaNode, nth: number): Json {
    const { items, minItems = 0, maxItems = MOST_ITEMS } = node.schema
    if (items === undefined) return []
    const count = this.#choices.count(1, minItems, Math.min(maxItems, Math.max(MOST_ITEMS, minItems)))
    return this.#items(this.#reader.step(node, { to: 'item' }), count, nth)
  }

  #items(node: SchemaNode, length: number, from = 0): readonly Json[] {
    return Array.from({ length }, (_, at) => this.#choices.item?.(node) ?? this.value(node, from + at))
  }

  #dictionary(node: SchemaNode): JsonObject {
    const most = Math.min(MOST_MEMBERS, node.schema.maxProperties ?? Infinity)
    return this.#members(node, this.#choices.count(0, 0, most))
  }

  #members(node: SchemaNode, length: number): JsonObject {
    const isTyped = typeof node.schema.additionalProperties === 'object'
    const member = (): Json =>
      isTyped ? this.value(this.#reader.step(node, { to: 'member' })) : this.#choices.json()
    return Object.fromEntries(Array.from({ length }, (_, at) => [this.#key(node, at), member()]))
  }

  #key({ schema: { propertyNames = {} } }: SchemaNode, nth: number): string {
    return this.#choices.key(propertyNames, nth)
  }

  #object(node: SchemaNode, nth: number, apart?: string): JsonObject {
    const { required = [], additionalProperties } = node.schema
    const names = this.#reader
      .properties(node)
      .filter((name) => name !== apart && (required.includes(name) || this.#choices.isRare()))
    return {
      ...Object.fromEntries(
        names.map((name) => [name, this.value(this.#reader.step(node, { to: 'property', name }), nth)]),
      ),
      ...(additionalProperties === undefined ? this.#choices.unknownMembers() : {}),
    }
  }
}
