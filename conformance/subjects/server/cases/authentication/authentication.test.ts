// The key of a request: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { header } from '../../../../../fixtures/faulty/call-and-answer.ts'
import { sendError } from '../../../../../fixtures/faulty/error-edits.ts'
import { refuse } from '../../../../../fixtures/faulty/edits.ts'
import { isApi, isModelRecord, wantsStream, withKey } from '../../../../../fixtures/faulty/calls.ts'
import { Inconclusive } from '../../../../contract/outcome.ts'
import { judgeFault, outcomesOf, redRows } from '../scripted/judge-fault.fixture.ts'
import { cases } from './authentication.ts'

it.each([
  ['records of models', isModelRecord, 404],
  ['streams', wantsStream, 400],
])('passes a service without %s', async (_, isMeant, status) => {
  const verdicts = await judgeFault(
    () =>
      sendError((answer, call) => answer.status !== 401 && isMeant(call), status, {
        message: 'No.',
        code: 'no',
      }),
    cases,
  )
  expect(verdicts.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable')).toEqual([])
})

it('does not call it a refusal of wrong forms when every request is refused', async () => {
  const verdicts = await judgeFault(
    () => (call, forward) =>
      isApi(call) && header(call, 'authorization') !== undefined ? refuse(call, forward) : forward(call),
    cases,
  )
  for (const row of ['AUTH-2', 'AUTH-8', 'AUTH-6'] as const)
    expect(outcomesOf(verdicts, row)).toEqual(['inconclusive'])
  expect(outcomesOf(verdicts, 'AUTH-5')).toContain('fail')
})

it('leaves AUTH-6 open if the service requires no key', async () => {
  const verdicts = await judgeFault(
    ({ key }) =>
      (call, forward) =>
        forward(header(call, 'authorization') === undefined ? withKey(call, key) : call),
    cases,
  )
  expect(redRows(verdicts)).not.toContain('AUTH-6')
  expect(redRows(verdicts)).toContain('AUTH-1')
})

it('judges the other checks if no revoked key is known', async () => {
  const revokedKey = async (): Promise<string> => {
    throw new Inconclusive('none was given')
  }
  const verdicts = await judgeFault('odd-proxy', cases, { target: { revokedKey } })
  const open = verdicts.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable')
  expect(open).toMatchObject([{ id: 'auth.revoked-key', outcome: 'inconclusive' }])
})
