// Rotation of keys under traffic: which faults the case finds, and what it leaves alone.
import { expect, it } from 'vitest'
import { wantsStream } from '../../../../../fixtures/faulty/calls.ts'
import { asError, sendError } from '../../../../../fixtures/faulty/error-edits.ts'
import { withHeader } from '../../../../../fixtures/faulty/exchange.ts'
import { withKnownKeys } from '../../../../../fixtures/faulty/known-keys.ts'
import { judgeFault, noKeyCommand } from '../scripted/judge-fault.fixture.ts'
import { testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { cases } from './rotation.ts'

const section = { cases }
const error = { message: 'No.', type: 'api_error', code: 'no' }

testFaults(section, {
  'keys-creation-refuses-the-old': ['keys.rotation-loses-nothing', 'KEY-7'],
  'keys-refuses-new-keys-once': ['keys.rotation-loses-nothing', 'KEY-7'],
  'keys-creation-cuts-a-stream': ['keys.rotation-loses-nothing', 'KEY-7'],
  'keys-creation-interrupts': ['keys.rotation-loses-nothing', 'KEY-7'],
  'keys-revocation-takes-the-newest': ['keys.rotation-loses-nothing', 'KEY-7'],
  'keys-changes-overload': ['keys.rotation-loses-nothing', 'KEY-7'],
  'keys-refusal-overloads': ['keys.rotation-loses-nothing', 'KEY-7'],
  'keys-overload-in-rotation': ['keys.rotation-loses-nothing', 'KEY-7'],
  'keys-caches-verdicts': ['keys.rotation-loses-nothing', 'KEY-7'],
  'keys-streams-for-revoked': ['keys.rotation-loses-nothing', 'KEY-7'],
})

testOddities(section)

it('passes another code for the revoked key', async () => {
  expect(await judgeFault('keys-calls-revoked-expired', cases)).toMatchObject([{ outcome: 'pass' }])
})

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
