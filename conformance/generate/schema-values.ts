// Values that a schema of an OpenAPI document accepts, by chance or with a certain place in them.
import * as fc from 'fast-check'
import { anyCharacter, anyText } from './hostile-text.ts'
import type { Json, JsonObject, SchemaNode, SchemaReader, Step } from './schema-node.ts'

/** Where in a value something stands, as `['messages', 0, 'role']`. */
export type Path = readonly (string | number)[]

/** A value, and the path to the place that it had to have. */
export interface Located {
  readonly value: Json
  readonly path: Path
}

export interface ValueOptions {
  /** Whether `property` may occur in an object of the schema at `pointer` where it is optional. Default: all. */
  readonly mayHave?: (pointer: string, property: string) => boolean
  /** Whether a union may take the branch at `pointer`. Default: all. */
  readonly mayBe?: (pointer: string) => boolean
  /** Adds members that the schema does not know where it lets them pass. */
  readonly unknownMembers?: boolean
}

/** How much rarer an optional member, or a null, is than its absence. */
const RARE = 3

/** Items of an array, where it need not have more. */
const MOST_ITEMS = 2

/** Generates values of the schemas that one reader finds. */
export class ValueGenerator {
  readonly #reader: SchemaReader
  readonly #options: ValueOptions
  readonly #known = new Map<string, fc.Arbitrary<Json>>()

  constructor(reader: SchemaReader, options: ValueOptions = {}) {
    this.#reader = reader
    this.#options = options
  }

  /** The branches of a union that are generated. */
  branches(node: SchemaNode): ReturnType<SchemaReader['branches']> {
    return this.#reader.branches(node).filter((branch) => this.#options.mayBe?.(branch.node.pointer) ?? true)
  }

  /** The names of the members that are generated. */
  members({ schema, pointer }: SchemaNode): readonly string[] {
    const { properties = {}, required = [] } = schema
    return Object.keys(properties).filter(
      (name) => required.includes(name) || (this.#options.mayHave?.(pointer, name) ?? true),
    )
  }

  /** Any value that `node` accepts, rules between members aside. */
  valid(node: SchemaNode): fc.Arbitrary<Json> {
    const known = this.#known.get(node.pointer)
    if (known !== undefined) return known
    const arbitrary = this.#reader.types(node).includes('null')
      ? rarely(fc.constant(null), this.present(node))
      : this.present(node)
    this.#known.set(node.pointer, arbitrary)
    return arbitrary
  }

  /** Any value that `node` accepts, but for null. */
  present(node: SchemaNode): fc.Arbitrary<Json> {
    const branches = this.branches(node).filter((branch) => branch.node.schema.type !== 'null')
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

  /**
   * A value of `node` that has the place to which `steps` lead, and where that is. What stands there is valid, and
   * not null.
   */
  along(node: SchemaNode, steps: readonly Step[]): fc.Arbitrary<Located> {
    const [step, ...rest] = steps
    if (step === undefined) return this.present(node).map((value) => ({ value, path: [] }))

    const inner = this.along(this.#reader.step(node, step), rest)
    switch (step.to) {
      case 'branch':
        return inner
      case 'property':
        return fc.tuple(this.#object(node, step.name), inner).map(([others, { value, path }]) => ({
          value: { ...others, [step.name]: value },
          path: [step.name, ...path],
        }))
      case 'member':
        return fc
          .tuple(this.#dictionary(node, 2), this.#key(node), inner)
          .map(([others, key, { value, path }]) => ({
            value: { ...others, [key]: value },
            path: [key, ...path],
          }))
      case 'item': {
        const others = fc.array(this.valid(this.#reader.step(node, step)), { maxLength: 1 })
        return fc.tuple(others, inner).map(([before, { value, path }]) => ({
          value: [...before, value],
          path: [before.length, ...path],
        }))
      }
    }
  }

  /** A key that a dictionary accepts. */
  #key(node: SchemaNode): fc.Arbitrary<string> {
    const { pattern, maxLength } = node.schema.propertyNames ?? {}
    // Objects of JavaScript have a use of their own for this name.
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

  /** An object of the properties of `node`, but for `apart`. */
  #object(node: SchemaNode, apart?: string): fc.Arbitrary<JsonObject> {
    const { required = [], additionalProperties } = node.schema
    const members: fc.Arbitrary<readonly [string, Json] | undefined>[] = []
    for (const name of this.members(node)) {
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

/** Shrinks towards what is common. */
function rarely<Rare, Common>(rare: fc.Arbitrary<Rare>, common: fc.Arbitrary<Common>) {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: RARE, arbitrary: common },
    { weight: 1, arbitrary: rare },
  )
}

const matching = new Map<string, fc.Arbitrary<string>>()

/** Text that matches a pattern. Made once for each: it takes tens of milliseconds. */
export function textMatching(pattern: string): fc.Arbitrary<string> {
  const text = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern))
  matching.set(pattern, text)
  return text
}

/** A name that no schema of the format has. */
export const unknownName: fc.Arbitrary<string> = textMatching('^x_[a-z]{1,12}$')

/** Any JSON value; what fast-check calls JSON is JSON. */
export const anyJson = fc.jsonValue({ maxDepth: 2, stringUnit: anyCharacter }) as fc.Arbitrary<Json>

/** Text of `min` to `max` code points, sometimes as long as it may be. */
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
