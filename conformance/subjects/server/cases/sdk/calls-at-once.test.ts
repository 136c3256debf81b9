// Requests for calls in flight at once: which mix-ups the cases find, however many checks run at once, and what they accept.
import { expect, it, test } from 'vitest'
import { isChat } from '../../../../../fixtures/faulty/calls.ts'
import { editArguments, editReplies, mapCalls } from '../../../../../fixtures/faulty/edits.ts'
import { createPlaces, releasing } from '../../../../../fixtures/faulty/slow-model.ts'
import { failed, judgeFault, notPassed } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { callsAtOnceCases } from './calls-at-once.ts'

test.each([
  ['sdk-shares-a-tool-parser', ['sdk.many-tool-streams']],
  ['sdk-swaps-streamed-calls', ['sdk.many-tool-streams']],
  ['sdk-swaps-calls', ['sdk.many-tool-calls']],
])('%s fails %s, one check at a time', async (fault, checks) => {
  expect(failed(await judgeFault(fault, callsAtOnceCases, { concurrency: 1 }))).toEqual(checks)
})

it('finds mixed-up streams of a slow service among two', async () => {
  const pace = { tokenMs: 40, isSerial: true, isShared: true }
  const plan = () => ({ briefTokens: 20, wholeTokens: 75, mostTokens: 300, concurrency: 1, pace })
  const verdicts = await judgeFault('sdk-shares-a-tool-parser', callsAtOnceCases, { target: { plan } })
  expect(failed(verdicts)).toEqual(['sdk.many-tool-streams'])
})

it('judges the calls of a service that refuses lists of values by name', async () => {
  expect(notPassed(await judgeFault('odd-simulator-refuses-type-lists', callsAtOnceCases))).toEqual([])
})

it('accepts a service that answers one request at a time', async () => {
  const oneAtATime: Start = () => {
    const take = createPlaces(1)
    return async (call, forward) => (isChat(call) ? releasing(await take(), forward(call)) : forward(call))
  }
  expect(notPassed(await judgeFault(oneAtATime, callsAtOnceCases))).toEqual([])
})

it('does not judge a model that calls with other words, also alone', async () => {
  const other: Start = () =>
    editReplies((message) =>
      mapCalls(
        message,
        editArguments(() => '{"words":"other words"}'),
      ),
    )
  const [plain] = await judgeFault(other, callsAtOnceCases)
  expect(plain?.outcome).toBe('not-applicable')
})
