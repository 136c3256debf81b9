// Keys that are made and revoked: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { isApi } from '../../../../../fixtures/faulty/calls.ts'
import { editAnswer, withJsonBody } from '../../../../../fixtures/faulty/edits.ts'
import { judgeFault, noKeyCommand, outcomesOf, redRows } from '../scripted/judge-fault.fixture.ts'
import { testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { cases as inBrowsers } from './browsers.ts'
import { cases as keyCases } from './keys.ts'

const section = { cases: [...keyCases, ...inBrowsers], concurrency: 1 }

testFaults(section, {
  'keys-allows-one-key': ['keys.creation-disables-none', 'KEY-3'],
  'keys-use-disables-the-other': ['keys.two-at-once-chat', 'KEY-3'],
  'keys-caches-verdicts': ['keys.revoked-then-chat', 'KEY-4', 'KEY-5'],
  'keys-accepts-revoked-once': ['keys.revoked-then-chat', 'KEY-4', 'KEY-5'],
  'keys-streams-for-revoked': ['keys.revoked-then-stream', 'KEY-4', 'KEY-5'],
  'keys-calls-revoked-expired': ['keys.revoked-then-chat', 'KEY-4'],
  'keys-revoked-at-most-instances': ['keys.revoked-everywhere', 'KEY-4', 'KEY-5'],
  'keys-accepts-third-try': ['keys.revoked-stays-refused-models', 'KEY-4', 'KEY-5'],
  'keys-revives-revoked': ['keys.revoked-after-use', 'KEY-4', 'KEY-5'],
  'keys-creation-revives-revoked': ['keys.revoked-after-use', 'KEY-5'],
  'keys-lists-keys': ['keys.no-list-at-api-keys', 'KEY-6'],
  'keys-creates-keys': ['keys.no-creation-at-keys', 'KEY-6'],
  'keys-revokes-keys': ['keys.no-revocation', 'KEY-6'],
  'keys-reads-bodies-at-key-paths': ['keys.no-creation-at-keys', 'KEY-6'],
  'keys-forbids-key-paths': ['keys.no-list-at-keys', 'KEY-6'],
  'keys-redirects-key-paths': ['keys.no-revocation', 'KEY-6'],
  'keys-forgets-revocations': ['keys.revoked-later', 'KEY-5'],
  'keys-forgets-revocations-in-a-crowd': ['keys.revoked-later', 'KEY-4', 'KEY-5'],
})

const PAGE = /^keys\.no-page-(reads|sends)/

testOddities(section, {
  'odd-open-to-any-page': PAGE,
  'odd-opens-to-the-asking-page': PAGE,
  'odd-allows-every-page': PAGE,
})

it('fails keys that start otherwise, without their values', async () => {
  const secret = 'sk-another-kind-of-key'
  const createKey = async () => ({ id: 'key_1', secret })
  const verdicts = await judgeFault('odd-proxy', keyCases, { target: { key: secret, createKey } })
  const ofKey11 = verdicts.filter(({ requirement }) => requirement === 'KEY-11')
  expect(ofKey11).toMatchObject([
    { id: 'keys.given-prefix', outcome: 'fail' },
    { id: 'keys.made-prefix', outcome: 'fail' },
  ])
  expect(JSON.stringify(verdicts)).not.toContain(secret)
})

it('leaves KEY-6 open if every path is answered with success', async () => {
  const verdicts = await judgeFault(
    () =>
      editAnswer(
        ({ status }, call) => status === 404 && isApi(call),
        (answer) => withJsonBody(answer, {}, 200),
      ),
    keyCases,
  )
  expect(outcomesOf(verdicts, 'KEY-6')).toEqual(['inconclusive'])
  expect(redRows(verdicts)).toEqual([])
})

it('judges given keys if none can be made, and leaves open what needs one', async () => {
  const verdicts = await judgeFault('odd-proxy', keyCases, { target: { createKey: noKeyCommand } })
  expect(outcomesOf(verdicts, 'KEY-3')).toEqual(['pass', 'not-applicable'])
  expect(outcomesOf(verdicts, 'KEY-4')).toEqual(['inconclusive'])
  expect(outcomesOf(verdicts, 'KEY-5')).toEqual(['pass', 'not-applicable'])
  expect(outcomesOf(verdicts, 'KEY-6')).toEqual(['pass'])
})
