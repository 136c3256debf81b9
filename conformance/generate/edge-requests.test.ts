// Each request of an edge is valid but for that edge: what the schema accepts there is accepted, all else is refused.
import { expect, test } from 'vitest'
import { parseChatCompletionRequest } from '../../spec/schemas/parse-request.ts'
import { openApiDocument } from './document.ts'
import { edgeRequests, edgeText } from './edge-requests.ts'

const { edges, requests } = edgeRequests(openApiDocument())

const named = edges.map((edge) => [`${edge.at}: ${edge.kind}, ${edge.pointer}`, edge] as const)

test.each(named)('%s', (_, edge) => {
  for (const request of requests(edge, 'svc-0.1-echo')) {
    const read = parseChatCompletionRequest(JSON.parse(edgeText(request)))
    expect([request.at, request.value, 'request' in read]).toEqual([request.at, request.value, edge.accepted])
  }
})

test('an item is broken in the first of several and in the third', () => {
  const edge = edges.find(({ at, kind }) => at === 'messages[].role' && kind === 'unknown')
  const places = edge === undefined ? [] : requests(edge, 'm').map(({ at }) => at)
  expect(new Set(places)).toEqual(new Set(['messages[0].role', 'messages[2].role']))
})
