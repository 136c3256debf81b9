// Rotation of keys under traffic: which faults the case finds, and what it leaves alone.
import { expect, it } from 'vitest'
import { wantsStream } from '../../../../../fixtures/faulty/calls.ts'
import { asError, sendError } from '../../../../../fixtures/faulty/error-edits.ts'
import { withHeader } from '../../../../../fixtures/faulty/call-and-answer.ts'
import { withKnownKeys } from '../../../../../fixtures/faulty/known-keys.ts'
import { judgeFault, noKeyCommand } from '../scripted/judge-fault.fixture.ts'
import { cases } from './key-rotation.ts'

const error = { message: 'No.', type: 'api_error', code: 'no' }

it('does not fail a 503 that comes with a rotation and without', async () => {
  const [verdict] = await judgeFault(() => {
    let requests = 0
    return withKnownKeys(async (call, forward, _, keys) => {
      const answer = await forward(call)
      requests += keys.length > 2 ? 1 : 0
      return requests % 5 === 4 ? asError(withHeader(answer, 'retry-after', '0.01'), 503, error) : answer
    })
  }, cases)
  expect(verdict?.outcome).not.toBe('fail')
})

it('does not blame a rotation for streams that fail without one', async () => {
  const verdicts = await judgeFault(() => sendError((_, call) => wantsStream(call), 500, error), cases)
  expect(verdicts).toMatchObject([{ outcome: 'inconclusive' }])
})

it('is left open if no key can be made', async () => {
  const verdicts = await judgeFault('odd-proxy', cases, { target: { createKey: noKeyCommand } })
  expect(verdicts).toMatchObject([{ outcome: 'inconclusive' }])
})
