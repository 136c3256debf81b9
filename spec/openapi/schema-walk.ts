// Walks the schemas of an OpenAPI document. References are followed.

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

/** A schema and the JSON pointer of the schema itself, not of a reference to it. */
export interface SchemaNode {
  readonly schema: Schema
  readonly pointer: string
}

/** One step from a schema to one of its parts. */
export type SchemaStep =
  | { readonly to: 'property'; readonly name: string }
  | { readonly to: 'item' }
  | { readonly to: 'member' }
  | { readonly to: 'branch'; readonly index: number }

/** A schema that the walk visits. */
export interface VisitedSchema {
  readonly node: SchemaNode
  readonly steps: readonly SchemaStep[]
  /** The place in a value, for example `messages[].role`; `[]` is any item and `*` any member. */
  readonly at: string
  readonly isRequired: boolean
  /** It is a branch of a union, which was visited before it at the same place. */
  readonly isBranch: boolean
  /** It is a union: its branches are visited after it. */
  readonly isUnion: boolean
  /** It is the discriminator of the union around it. */
  readonly isDiscriminator: boolean
}

/** Leaves parts of a document out. */
export interface SchemaFilter {
  /** Whether the optional `property` may occur in the schema at `pointer`. Default: all. */
  readonly mayHave?: (pointer: string, property: string) => boolean
  /** Whether a union may take the branch at `pointer`. Default: all. */
  readonly mayBe?: (pointer: string) => boolean
}

/** The nodes of each document by pointer: the judge derives hundreds of requests from the same document. */
const nodesOf = new WeakMap<object, Map<string, SchemaNode>>()

/** Finds schemas in one document. Throws `RangeError` for a pointer or a step to a schema that does not exist. */
export class SchemaReader {
  readonly #document: unknown
  readonly #filter: SchemaFilter
  readonly #nodes: Map<string, SchemaNode>

  constructor(document: unknown, filter: SchemaFilter = {}) {
    const key = Object(document)
    this.#document = document
    this.#filter = filter
    this.#nodes = nodesOf.get(key) ?? new Map<string, SchemaNode>()
    nodesOf.set(key, this.#nodes)
  }

  /** The schema at a JSON pointer, for example `/components/schemas/Message`. */
  at(pointer: string): SchemaNode {
    const node = this.#nodes.get(pointer) ?? this.#find(pointer)
    this.#nodes.set(pointer, node)
    return node
  }

  #find(pointer: string): SchemaNode {
    let value = this.#document
    for (const token of pointer.split('/').slice(1)) {
      const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
        throw new RangeError(`the document has nothing at ${pointer}`)
      value = Reflect.get(value, key)
    }
    // A valid document has a schema in these places.
    const schema = value as Schema
    if (schema.$ref !== undefined) return this.at(schema.$ref.slice(1))
    return { schema: schema.const === undefined ? schema : { ...schema, enum: [schema.const] }, pointer }
  }

  /** The part of `node` that one step leads to. */
  step(node: SchemaNode, step: SchemaStep): SchemaNode {
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

  /** The branches of a union that the filter accepts; none for any other schema. */
  branches(node: SchemaNode): { readonly node: SchemaNode; readonly step: SchemaStep }[] {
    return this.#allBranches(node).filter((branch) => this.#filter.mayBe?.(branch.node.pointer) ?? true)
  }

  #allBranches(node: SchemaNode): { readonly node: SchemaNode; readonly step: SchemaStep }[] {
    // Beside properties, `anyOf` is a rule between them and not a union.
    if (node.schema.properties !== undefined) return []
    return (node.schema.oneOf ?? node.schema.anyOf ?? []).map((_, index) => {
      const step: SchemaStep = { to: 'branch', index }
      return { node: this.step(node, step), step }
    })
  }

  /** The names of the properties that are required or that the filter accepts. */
  properties({ schema: { properties = {}, required = [] }, pointer }: SchemaNode): readonly string[] {
    return Object.keys(properties).filter(
      (name) => required.includes(name) || (this.#filter.mayHave?.(pointer, name) ?? true),
    )
  }

  /** The JSON types that `node` accepts; empty if it accepts all of them. */
  types(node: SchemaNode): readonly string[] {
    const branches = this.#allBranches(node)
    if (branches.length > 0) return branches.flatMap((branch) => this.types(branch.node))
    return [node.schema.type ?? []].flat()
  }

  /** Visits `node` and then each of its parts, depth first. */
  *walk(node: SchemaNode): Generator<VisitedSchema> {
    yield* this.#walk({ node, steps: [], at: '', isRequired: true, isBranch: false, isDiscriminator: false })
  }

  *#walk(visit: Omit<VisitedSchema, 'isUnion'>, discriminator?: string): Generator<VisitedSchema> {
    const { node, steps, at } = visit
    const { properties, required = [], additionalProperties: members, items } = node.schema
    const branches = this.branches(node)
    yield { ...visit, isUnion: branches.length > 0 }
    for (const branch of branches)
      yield* this.#walk(
        { ...visit, node: branch.node, steps: [...steps, branch.step], isBranch: true },
        node.schema.discriminator?.propertyName,
      )
    if (branches.length > 0) return

    const part = (step: SchemaStep, partAt: string, isRequired = false, isDiscriminator = false) =>
      this.#walk({
        node: this.step(node, step),
        steps: [...steps, step],
        at: partAt,
        isRequired,
        isBranch: false,
        isDiscriminator,
      })
    if (properties !== undefined)
      for (const name of this.properties(node))
        yield* part(
          { to: 'property', name },
          memberAt(at, name),
          required.includes(name),
          name === discriminator,
        )
    if (typeof members === 'object' && Object.keys(members).length > 0)
      yield* part({ to: 'member' }, memberAt(at, '*'))
    if (items !== undefined) yield* part({ to: 'item' }, `${at}[]`)
  }
}

/** The place of a member of the object at `at`. */
export function memberAt(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`
}
