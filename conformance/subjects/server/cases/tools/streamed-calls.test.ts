// Streamed calls beside plain ones, in each form of request and in each choice.
import { expect, it } from 'vitest'
import { editRequest } from '../../../../../fixtures/faulty/edits.ts'
import { without } from '../../../../../fixtures/faulty/json-types.ts'
import { failed, judgeFault, notPassed, outcomeOf } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { streamedCallCases } from './streamed-calls.ts'

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

it('passes on a service that is right', async () => {
  const asIs: Start = () => (call, forward) => forward(call)
  expect(notPassed(await judgeFault(asIs, streamedCallCases))).toEqual([])
})
