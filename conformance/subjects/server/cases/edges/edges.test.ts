// The edges of fields: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { invalidRequest, refuseChats, refuseFields } from '../../../../../fixtures/faulty/error-edits.ts'
import { editRequest } from '../../../../../fixtures/faulty/edits.ts'
import { type Json, type JsonObject, asList, asObject } from '../../../../../fixtures/faulty/json-types.ts'
import type { MutatedRequest } from '../../../../generate/chat-requests.ts'
import type { Case } from '../../case.ts'
import { failed, judgeFault, outcomeOf } from '../scripted/judge-fault.fixture.ts'
import { fewerOf, groups, requestsOf } from './edge-groups.ts'
import { cases } from './edges.ts'

/** The checks of these fields, plain and streamed: the third word of an id such as `wire.edge.n.upper`. */
function edgesOf(fields: RegExp): readonly Case[] {
  return cases.filter(({ id }) => fields.test(id.split('.')[2] ?? ''))
}

it('does not blame a model whose context is too short for the most tools', async () => {
  const verdicts = await judgeFault(
    () =>
      refuseChats(
        (body) => asList(body['tools']).length > 100,
        invalidRequest('context_length_exceeded', 'The prompt is too long for the context of this model.'),
      ),
    edgesOf(/^tools/),
  )
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'wire.edge.tools.most')).toBe('not-applicable')
})

it('does not try the edges of a field of which only the default is taken', async () => {
  const verdicts = await judgeFault(() => refuseFields(['temperature']), edgesOf(/^temperature/))
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'wire.edge.temperature.upper')).toBe('not-applicable')
})

it.each([[false], [0], ['']])(
  'finds a service that takes %j for absent calls, whatever the seed is',
  async (value) => {
    const withoutFalsy = (message: Json): JsonObject => {
      const { tool_calls: calls, ...others } = asObject(message)
      return calls === value ? others : asObject(message)
    }
    const verdicts = await judgeFault(
      () => editRequest((body) => ({ ...body, messages: asList(body['messages']).map(withoutFalsy) })),
      cases.filter(({ id }) => id === 'wire.edge.messages-item-tool-calls.type'),
    )
    expect(failed(verdicts)).toEqual(['wire.edge.messages-item-tool-calls.type'])
  },
)

it.each([
  ['in a plain request', requestsOf],
  ['in a stream', fewerOf],
])('tries each false and empty value of another type once for each field %s', (_, chosen) => {
  const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)
  for (const group of groups.filter(({ kind }) => kind === 'type')) {
    const types = new Set(requestsOf(group, 'm').map(({ value }) => typeOf(value)))
    const due = [false, 0, '', [], {}].filter((value) => types.has(typeOf(value)))
    const texts = chosen(group, 'm').map(({ value }) => JSON.stringify(value))
    for (const value of due)
      expect([group.at, texts]).toEqual([group.at, expect.arrayContaining([JSON.stringify(value)])])
  }
})

it('sends a stream every kind of value of an edge, to every element that has one', () => {
  const elementOf = ({ at, place }: MutatedRequest): string =>
    [at, place.steps.length, place.constraint].join(' ')
  const typeOf = ({ value }: MutatedRequest): string => (Array.isArray(value) ? 'array' : typeof value)
  for (const group of groups)
    for (const seen of [elementOf, typeOf])
      expect([group.at, new Set(fewerOf(group, 'm').map(seen))]).toEqual([
        group.at,
        new Set(requestsOf(group, 'm').map(seen)),
      ])
})
