// Walking the schemas of an OpenAPI document: what stands where, with references followed.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [member: string]: Json }

/** The keywords of JSON Schema that are read here. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly Json[]
  readonly const?: Json
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly propertyNames?: Schema
  readonly maxProperties?: number
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly discriminator?: { readonly propertyName: string }
}

/** A schema and where it stands: the JSON pointer of the schema itself, not of a reference to it. */
export interface SchemaNode {
  readonly schema: Schema
  readonly pointer: string
}

/** One step from a schema to one of its parts. */
export type Step =
  | { readonly to: 'property'; readonly name: string }
  | { readonly to: 'item' }
  | { readonly to: 'member' }
  | { readonly to: 'branch'; readonly index: number }

/** What was found in each document: the judge derives hundreds of requests from the same one. */
const foundIn = new WeakMap<object, Map<string, SchemaNode>>()

/** Finds schemas in one document. Throws `RangeError` for a pointer or a step that leads nowhere. */
export class SchemaReader {
  readonly #document: unknown
  readonly #found: Map<string, SchemaNode>

  constructor(document: unknown) {
    const key = Object(document)
    this.#document = document
    this.#found = foundIn.get(key) ?? new Map<string, SchemaNode>()
    foundIn.set(key, this.#found)
  }

  /** The schema at a JSON pointer, as `/components/schemas/Message`. */
  at(pointer: string): SchemaNode {
    const found = this.#found.get(pointer) ?? this.#find(pointer)
    this.#found.set(pointer, found)
    return found
  }

  #find(pointer: string): SchemaNode {
    let value = this.#document
    for (const token of pointer.split('/').slice(1)) {
      const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
        throw new RangeError(`the document has nothing at ${pointer}`)
      value = Reflect.get(value, key)
    }
    // What a valid document has in these places is a schema.
    const schema = value as Schema
    if (schema.$ref !== undefined) return this.at(schema.$ref.slice(1))
    return { schema: schema.const === undefined ? schema : { ...schema, enum: [schema.const] }, pointer }
  }

  /** The part of `node` that one step leads to. */
  step(node: SchemaNode, step: Step): SchemaNode {
    switch (step.to) {
      case 'property':
        return this.at(`${node.pointer}/properties/${step.name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
      case 'item':
        return this.at(`${node.pointer}/items`)
      case 'member':
        return this.at(`${node.pointer}/additionalProperties`)
      case 'branch':
        return this.at(`${node.pointer}/${node.schema.oneOf === undefined ? 'anyOf' : 'oneOf'}/${step.index}`)
    }
  }

  /** The branches of a union; none for a schema with members of its own, whose `anyOf` is a rule between them. */
  branches(node: SchemaNode): { readonly node: SchemaNode; readonly step: Step }[] {
    if (node.schema.properties !== undefined) return []
    return (node.schema.oneOf ?? node.schema.anyOf ?? []).map((_, index) => {
      const step: Step = { to: 'branch', index }
      return { node: this.step(node, step), step }
    })
  }

  /** The JSON types that `node` accepts; none where it accepts all. */
  types(node: SchemaNode): readonly string[] {
    const branches = this.branches(node)
    if (branches.length > 0) return branches.flatMap((branch) => this.types(branch.node))
    return [node.schema.type ?? []].flat()
  }
}
