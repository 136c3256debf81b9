// The smallest valid values of a schema, always the same ones, with a given place in them.
import type { Json, JsonObject, SchemaNode, SchemaReader, Step } from '../../spec/openapi/schema-walk.ts'
import { type Located, type Surroundings, nest } from './mutate.ts'

const MESSAGE: JsonObject = { role: 'user', content: 'Say hello.' }

export class SmallestValues {
  readonly #reader: SchemaReader

  constructor(reader: SchemaReader) {
    this.#reader = reader
  }

  /** A valid value; strings differ for each `nth`. */
  value(node: SchemaNode, nth = 0): Json {
    const branch = this.#reader.branches(node).find((candidate) => candidate.node.schema.type !== 'null')
    if (branch !== undefined) return this.value(branch.node, nth)
    const { schema } = node
    const first = schema.enum?.find((value) => value !== null)
    if (first !== undefined) return first
    switch (this.#reader.types(node).find((type) => type !== 'null')) {
      case 'string':
        return `one_${nth}`
      case 'integer':
      case 'number':
        return Math.max(1, Number.isSafeInteger(schema.minimum) ? Number(schema.minimum) : 1)
      case 'boolean':
        return true
      case 'array':
        return schema.items === undefined ? [] : [this.#item(this.#reader.step(node, { to: 'item' }), nth)]
      case 'object':
        return this.#object(node, nth)
      default:
        return {}
    }
  }

  /** A value that has the place to which `steps` lead, in the element `nth` of each array and dictionary. */
  along(node: SchemaNode, steps: readonly Step[], nth: number): Located {
    const levels: Surroundings[] = []
    let part = node
    for (const step of steps) {
      const around = part
      part = this.#reader.step(around, step)
      if (step.to !== 'branch') levels.push(this.#around(around, step, part, nth))
    }
    return nest(levels, this.value(part, nth))
  }

  #around(
    node: SchemaNode,
    step: Exclude<Step, { to: 'branch' }>,
    part: SchemaNode,
    nth: number,
  ): Surroundings {
    switch (step.to) {
      case 'property':
        return { others: this.#object(node, nth), key: step.name }
      case 'member': {
        const names = Array.from({ length: nth }, (_, index) => String(index))
        return {
          others: Object.fromEntries(names.map((name) => [name, this.value(part)])),
          key: String(nth),
        }
      }
      case 'item':
        return { others: Array.from({ length: nth }, (_, index) => this.#item(part, index)), key: nth }
    }
  }

  #item(node: SchemaNode, nth: number): Json {
    return node.pointer.endsWith('/Message') ? MESSAGE : this.value(node, nth)
  }

  #object(node: SchemaNode, nth: number): JsonObject {
    const required = node.schema.required ?? []
    return Object.fromEntries(
      required.map((name) => [name, this.value(this.#reader.step(node, { to: 'property', name }), nth)]),
    )
  }
}
