// Requests that are the smallest of their kind, with one value at an edge of the schema: in the first element of an array
// or dictionary, or in a later one.
import type { JsonObject } from '../../spec/openapi/schema-walk.ts'
import { at } from '../../harness/json-value.ts'
import { requestReader, requestSchema } from './document.ts'
import { keepRules } from './keep-rules.ts'
import { mutateAt, object, showPath } from './mutate.ts'
import { ONE_POINT_ZERO, type SchemaEdge, schemaEdges } from './schema-edges.ts'
import { SmallestValues } from './smallest-values.ts'

/** The third of three elements, for services that check only the first one or two. */
const LATER = 2

export interface EdgeRequest {
  readonly body: JsonObject
  /** The place of the value as a report shows it, for example `messages[2].role`. */
  readonly at: string
  readonly value: unknown
}

export function edgeText({ body }: EdgeRequest): string {
  return JSON.stringify(body).replaceAll(JSON.stringify(ONE_POINT_ZERO), '1.0')
}

/** Derives edges from an OpenAPI document; schemas named in `without` do not occur. */
export function edgeRequests(document: unknown, without: readonly string[] = []) {
  const reader = requestReader(document, { without })
  const root = requestSchema(reader)
  const smallest = new SmallestValues(reader)
  return {
    edges: [...schemaEdges({ reader, smallest }, root)],
    /** The requests of an edge to a model: each of its values, in the first element and in a later one. */
    requests({ steps, mutations }: SchemaEdge, model: string): readonly EdgeRequest[] {
      const hasSeveral = steps.some(({ to }) => to === 'item' || to === 'member')
      const ownModel = steps[0]?.to === 'property' && steps[0].name === 'model' ? {} : { model }
      return (hasSeveral ? [0, LATER] : [0]).flatMap((nth) => {
        const { value, path } = smallest.along(root, steps, nth)
        const valid = keepRules({ value: { ...object(value), ...ownModel }, path })
        return mutations.map((mutate) => {
          const mutated = mutateAt(valid, mutate)
          const body = object(mutated.value)
          return { body, at: showPath(mutated.path), value: at(body, ...mutated.path) }
        })
      })
    },
  }
}
