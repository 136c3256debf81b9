// Streamed calls beside plain ones, in each form of request and in each choice.
import { expect, it, test } from 'vitest'
import { editRequest } from '../../../../../fixtures/faulty/edits.ts'
import { without } from '../../../../../fixtures/faulty/json-types.ts'
import { failed, judgeFault, notPassed, outcomeOf } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { streamedCallCases } from './streamed-calls.ts'
import { toolObservers } from './tool-observers.ts'

test.each([
  [
    'stream-loses-calls-of-choices',
    ['stream.every-choice-calls', 'tools.every-required', 'tools.same-calls-of-two'],
  ],
  [
    'stream-loses-calls-of-later-choices',
    ['stream.every-choice-calls', 'tools.every-required', 'tools.same-calls-of-two'],
  ],
  ['stream-numbers-calls-of-later-choices-on', ['tools.every-fragment']],
  ['stream-ends-later-calls-as-old-ones', ['tools.every-finish']],
  ['tools-streams-no-calls-of-the-models-choice', ['tools.same-calls-auto']],
  ['tools-streams-all-calls', ['tools.every-single', 'tools.same-calls-single']],
  ['stream-counts-no-calls', ['stream.same-beside-calls']],
  ['stream-drops-text-beside-calls', ['stream.same-beside-calls']],
  ['tools-streams-json-instead-of-calls', ['tools.every-required', 'tools.same-calls-beside-a-format']],
])('%s fails %s', async (fault, checks) => {
  const verdicts = await judgeFault(fault, streamedCallCases, { observers: toolObservers })
  expect(failed(verdicts).toSorted()).toEqual(checks)
})

test.each([
  'odd-gemini-whole-calls',
  'odd-streams-choice-by-choice',
  'odd-text-beside-calls',
  'odd-single-calls',
  'odd-repeated-calls',
  'odd-repeats-types-of-calls',
  'odd-required-choice',
])('accepts %s', async (id) => {
  const verdicts = await judgeFault(id, streamedCallCases, { observers: toolObservers })
  expect(failed(verdicts)).toEqual([])
})

it('leaves choices that the plain answer lacks, too, to other rows', async () => {
  const single: Start = () => editRequest((body) => ('n' in body ? without(body, 'n') : undefined))
  const verdicts = await judgeFault(single, streamedCallCases)
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'stream.every-choice-calls')).toBe('not-applicable')
})

it('leaves a stream that did not come to STREAM-1', async () => {
  const verdicts = await judgeFault('stream-is-ignored', streamedCallCases)
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'stream.every-choice-calls')).toBe('inconclusive')
})

it('leaves a content of another type to CHAT-1', async () => {
  const verdicts = await judgeFault('tools-gives-content-as-list', streamedCallCases)
  expect(failed(verdicts)).toEqual([])
})

it('does not compare calls that differ from one plain answer to the next', async () => {
  const verdicts = await judgeFault('odd-simulator-random-arguments', streamedCallCases)
  expect(failed(verdicts)).toEqual([])
})

it('passes on a service that is right', async () => {
  const asIs: Start = () => (call, forward) => forward(call)
  expect(notPassed(await judgeFault(asIs, streamedCallCases))).toEqual([])
})
