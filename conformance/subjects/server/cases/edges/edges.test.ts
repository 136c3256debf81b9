// The edges of fields: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { invalidRequest, refuseChats, refuseFields } from '../../../../../fixtures/faulty/error-edits.ts'
import { asList } from '../../../../../fixtures/faulty/json-types.ts'
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
