// Requests that are the smallest of their kind, with one value at an edge of the schema: in the first of several
// elements, or in a later one.
import { requestSchema } from './document.ts'
import { keepRules } from './keep-rules.ts'
import { type EdgeContext, ONE_POINT_ZERO, type SchemaEdge, schemaEdges } from './schema-edges.ts'
import { mutateAt, object } from './schema-mutations.ts'
import { type Json, type JsonObject, type SchemaNode, SchemaReader, type Step } from './schema-node.ts'
import type { Located } from './schema-values.ts'

/** The third of three: what looks at the first, or at the first two, does not see it. */
const LATER = 2

/** What is asked where it does not matter. */
const MESSAGE: JsonObject = { role: 'user', content: 'Say hello.' }

export interface EdgeRequest {
  readonly body: JsonObject
  /** What stands in the place, as a report shows it: `messages[2].role`. */
  readonly at: string
  readonly value: unknown
}

/** A request as it is sent. */
export function edgeText({ body }: EdgeRequest): string {
  return JSON.stringify(body).replaceAll(JSON.stringify(ONE_POINT_ZERO), '1.0')
}

export interface EdgeRequests {
  readonly edges: readonly SchemaEdge[]
  /** The requests of an edge to a model: each of its values, in the first and, where there are several, in a later element. */
  requests(edge: SchemaEdge, model: string): readonly EdgeRequest[]
}

/** Derives edges from an OpenAPI document; schemas named in `without` do not occur. */
export function edgeRequests(document: unknown, without: readonly string[] = []): EdgeRequests {
  const reader = new SchemaReader(document)
  const root = requestSchema(reader)
  const context: EdgeContext = {
    reader,
    branches: (node) =>
      reader
        .branches(node)
        .filter(({ node: { pointer } }) => !without.includes(pointer.slice(pointer.lastIndexOf('/') + 1))),
    smallest: (node, nth = 0) => smallest(context, node, nth),
  }
  return {
    edges: [...schemaEdges(context, root)],
    requests: (edge, model) => requestsOf(context, root, edge, model),
  }
}

function requestsOf(
  context: EdgeContext,
  root: SchemaNode,
  { steps, mutations }: SchemaEdge,
  model: string,
): readonly EdgeRequest[] {
  const hasSeveral = steps.some(({ to }) => to === 'item' || to === 'member')
  const places = hasSeveral ? [0, LATER] : [0]
  return places.flatMap((nth) => {
    const made = along(context, root, steps, nth)
    const ownModel = steps[0]?.to === 'property' && steps[0].name === 'model' ? {} : { model }
    const located = keepRules({ body: { ...object(made.value), ...ownModel }, path: made.path })
    return mutations.map((mutate) => {
      const mutated = mutateAt({ value: located.body, path: located.path }, mutate)
      return { body: object(mutated.value), at: shownPath(mutated.path), value: valueAt(mutated) }
    })
  })
}

/** The smallest object that has the place to which `steps` lead, in its nth element where there are several. */
function along(context: EdgeContext, node: SchemaNode, steps: readonly Step[], nth: number): Located {
  const [step, ...rest] = steps
  if (step === undefined) return { value: context.smallest(node, nth), path: [] }
  const part = context.reader.step(node, step)
  const inner = along(context, part, rest, nth)
  switch (step.to) {
    case 'branch':
      return inner
    case 'property': {
      const others = node.schema.required === undefined ? {} : object(smallestObject(context, node, nth))
      return { value: { ...others, [step.name]: inner.value }, path: [step.name, ...inner.path] }
    }
    case 'member': {
      const names = Array.from({ length: nth + 1 }, (_, place) => String(place))
      const members = names.map((name) => [name, context.smallest(part)] as const)
      const last = String(nth)
      return { value: { ...Object.fromEntries(members), [last]: inner.value }, path: [last, ...inner.path] }
    }
    case 'item': {
      const before = Array.from({ length: nth }, (_, place) => itemOf(context, part, place))
      return { value: [...before, inner.value], path: [nth, ...inner.path] }
    }
  }
}

/** A message of the user is the plainest; of everything else the first branch. */
function itemOf(context: EdgeContext, node: SchemaNode, nth: number): Json {
  return node.pointer.endsWith('/Message') ? MESSAGE : context.smallest(node, nth)
}

function smallest(context: EdgeContext, node: SchemaNode, nth: number): Json {
  const branch = context.branches(node).find((candidate) => candidate.node.schema.type !== 'null')
  if (branch !== undefined) return smallest(context, branch.node, nth)
  const { schema } = node
  const first = schema.enum?.find((value) => value !== null)
  if (first !== undefined) return first
  switch (context.reader.types(node).find((type) => type !== 'null')) {
    case 'string':
      return `one_${nth}`
    case 'integer':
    case 'number':
      return Math.max(1, Number.isSafeInteger(schema.minimum) ? Number(schema.minimum) : 1)
    case 'boolean':
      return true
    case 'array':
      return schema.items === undefined
        ? []
        : [itemOf(context, context.reader.step(node, { to: 'item' }), nth)]
    case 'object':
      return smallestObject(context, node, nth)
    default:
      return {}
  }
}

function smallestObject(context: EdgeContext, node: SchemaNode, nth: number): Json {
  const required = node.schema.required ?? []
  return Object.fromEntries(
    required.map((name) => [
      name,
      context.smallest(context.reader.step(node, { to: 'property', name }), nth),
    ]),
  )
}

function shownPath(path: Located['path']): string {
  return path
    .map((key, depth) => (typeof key === 'number' ? `[${key}]` : depth === 0 ? key : `.${key}`))
    .join('')
}

function valueAt({ value, path }: Located): unknown {
  return path.reduce<unknown>(
    (here, key) => (typeof here === 'object' && here !== null ? Reflect.get(here, key) : undefined),
    value,
  )
}
