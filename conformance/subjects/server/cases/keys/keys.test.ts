// Keys that are made and revoked: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { isApi } from '../../../../../fixtures/faulty/calls.ts'
import { editAnswer, withJsonBody } from '../../../../../fixtures/faulty/edits.ts'
import { judgeFault, noKeyCommand, outcomesOf, redRows } from '../scripted/judge-fault.fixture.ts'
import { cases as keyCases } from './keys.ts'

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
