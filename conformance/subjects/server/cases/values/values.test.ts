// Hard values and stated defaults: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { faults } from '../../../../../fixtures/faulty/fault-table.ts'
import { judgeFault, notPassed, redRows } from '../scripted/judge-fault.fixture.ts'
import { cases } from './values.ts'

it('passes on a service without a fault', async () => {
  const verdicts = await judgeFault('odd-proxy', cases)
  expect(notPassed(verdicts).filter((line) => !line.includes('not-applicable'))).toEqual([])
})
