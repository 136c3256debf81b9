import { expect, it } from 'vitest'
import { judgeFault, notPassed } from '../scripted/judge-fault.fixture.ts'
import { cases } from './values.ts'

it('passes on a service without a fault', async () => {
  expect(notPassed(await judgeFault('odd-proxy', cases))).toEqual([])
})
