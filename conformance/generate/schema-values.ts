// Generates values that a schema of an OpenAPI document accepts: any value, or one that has a given place.
import * as fc from 'fast-check'
import type { Json, JsonObject, SchemaNode, SchemaReader, Step } from '../../spec/openapi/schema-walk.ts'
import { anyCharacter, anyText } from './hostile-text.ts'
import { type Located, type Surroundings, nest } from './mutate.ts'

export interface ValueOptions {
  /** Adds unknown members to objects whose schema tolerates them. */
  readonly unknownMembers?: boolean
}

/** How much rarer an optional member, or a null, is than its absence. */
const RARE = 3

/** The longest array, unless its schema requires more items. */
const MOST_ITEMS = 2

export class ValueGenerator {
  readonly #reader: SchemaReader
  readonly #options: ValueOptions
  readonly #known = new Map<string, fc.Arbitrary<Json>>()

  constructor(reader: SchemaReader, options: ValueOptions = {}) {
    this.#reader = reader
    this.#options = options
  }

  /** Any value that `node` accepts; rules between members may be broken. */
  valid(node: SchemaNode): fc.Arbitrary<Json> {
    const known = this.#known.get(node.pointer)
    if (known !== undefined) return known
    const arbitrary = this.#reader.types(node).includes('null')
      ? rarely(fc.constant(null), this.present(node))
      : this.present(node)
    this.#known.set(node.pointer, arbitrary)
    return arbitrary
  }

  present(node: SchemaNode): fc.Arbitrary<Json> {
    const branches = this.#reader.branches(node).filter((branch) => branch.node.schema.type !== 'null')
    if (branches.length > 0) return fc.oneof(...branches.map((branch) => this.present(branch.node)))

    const { schema } = node
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum.filter((value) => value !== null))
    switch (this.#reader.types(node).find((type) => type !== 'null')) {
      case 'string':
        return text(schema.pattern, schema.minLength, schema.maxLength)
      case 'integer':
        return integer(schema.minimum, schema.maximum)
      case 'number':
        return decimal(schema.minimum, schema.maximum)
      case 'boolean':
        return fc.boolean()
      case 'array': {
        const { minItems = 0, maxItems = MOST_ITEMS } = schema
        return fc.array(this.valid(this.#reader.step(node, { to: 'item' })), {
          minLength: minItems,
          maxLength: Math.min(maxItems, Math.max(MOST_ITEMS, minItems)),
        })
      }
      case 'object':
        return schema.properties === undefined ? this.#dictionary(node) : this.#object(node)
      default:
        return anyJson
    }
  }

  /** A value of `node` that has the place to which `steps` lead; the value there is valid and not null. */
  along(node: SchemaNode, steps: readonly Step[]): fc.Arbitrary<Located> {
    const levels: fc.Arbitrary<Surroundings>[] = []
    let part = node
    for (const step of steps) {
      if (step.to !== 'branch') levels.push(this.#around(part, step))
      part = this.#reader.step(part, step)
    }
    return fc
      .tuple(fc.tuple(...levels), this.present(part))
      .map(([surroundings, value]) => nest(surroundings, value))
  }

  #around(node: SchemaNode, step: Exclude<Step, { to: 'branch' }>): fc.Arbitrary<Surroundings> {
    switch (step.to) {
      case 'property':
        return this.#object(node, step.name).map((others) => ({ others, key: step.name }))
      case 'member':
        return fc.tuple(this.#dictionary(node, 2), this.#key(node)).map(([others, key]) => ({ others, key }))
      case 'item': {
        const before = fc.array(this.valid(this.#reader.step(node, step)), { maxLength: 1 })
        return before.map((others) => ({ others, key: others.length }))
      }
    }
  }

  #key(node: SchemaNode): fc.Arbitrary<string> {
    const { pattern, maxLength } = node.schema.propertyNames ?? {}
    // JavaScript sets the prototype by this name.
    return text(pattern, 0, maxLength).filter((key) => key !== '__proto__')
  }

  #dictionary(node: SchemaNode, room = 0): fc.Arbitrary<JsonObject> {
    const values = typeof node.schema.additionalProperties === 'object'
    return fc.dictionary(
      this.#key(node),
      values ? this.valid(this.#reader.step(node, { to: 'member' })) : anyJson,
      { maxKeys: Math.min(5, (node.schema.maxProperties ?? Infinity) - room), noNullPrototype: true },
    )
  }

  #object(node: SchemaNode, apart?: string): fc.Arbitrary<JsonObject> {
    const { required = [], additionalProperties } = node.schema
    const members: fc.Arbitrary<readonly [string, Json] | undefined>[] = []
    for (const name of this.#reader.properties(node)) {
      if (name === apart) continue
      const value = this.valid(this.#reader.step(node, { to: 'property', name }))
      const member = value.map((value) => [name, value] as const)
      members.push(required.includes(name) ? member : rarely(member, fc.constant(undefined)))
    }
    if (this.#options.unknownMembers === true && additionalProperties === undefined)
      members.push(rarely(fc.tuple(unknownName, anyJson), fc.constant(undefined)))
    return fc
      .tuple(...members)
      .map((entries) => Object.fromEntries(entries.filter((entry) => entry !== undefined)))
  }
}

/** Shrinks towards the common value. */
function rarely<Rare, Common>(rare: fc.Arbitrary<Rare>, common: fc.Arbitrary<Common>) {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: RARE, arbitrary: common },
    { weight: 1, arbitrary: rare },
  )
}

const matching = new Map<string, fc.Arbitrary<string>>()

/** Text that matches a pattern. To make such an arbitrary takes tens of milliseconds, so each is made once. */
export function textMatching(pattern: string): fc.Arbitrary<string> {
  const text = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern))
  matching.set(pattern, text)
  return text
}

/** A name that does not occur in any schema of the format. */
export const unknownName: fc.Arbitrary<string> = textMatching('^x_[a-z]{1,12}$')

export const anyJson = fc.jsonValue({ maxDepth: 2, stringUnit: anyCharacter }) as fc.Arbitrary<Json>

/** Text of `min` to `max` code points, sometimes of the greatest length. */
function text(pattern: string | undefined, min = 0, max?: number): fc.Arbitrary<string> {
  if (pattern !== undefined) return textMatching(pattern)
  const short = anyText({ minLength: min, maxLength: Math.min(max ?? Infinity, min + 20) })
  return max === undefined ? short : rarely(fc.constantFrom('x'.repeat(max), '😀'.repeat(max)), short)
}

function integer(min = -1000, max = 1000): fc.Arbitrary<number> {
  const safe = (bound: number) => Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, bound))
  return rarely(fc.constantFrom(min, max), fc.integer({ min: safe(min), max: safe(max) }))
}

function decimal(min = -1000, max = 1000): fc.Arbitrary<number> {
  return rarely(fc.constantFrom(min, max), fc.double({ min, max, noNaN: true }))
}
