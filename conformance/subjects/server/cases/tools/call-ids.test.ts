// The ids of calls in one conversation (TOOL-9), by its own cases and in any other exchange of the run.
import { expect, it } from 'vitest'
import { failed, judgeFault } from '../scripted/judge-fault.fixture.ts'
import { callIdObservers } from './call-ids.ts'
import { cases } from './tools.ts'

it('leaves ids alone that a fake history of the judge and an answer have', async () => {
  const histories = cases.filter(({ id }) => id.startsWith('tools.round-trip'))
  const verdicts = await judgeFault('odd-counts-its-calls', histories, { observers: callIdObservers })
  expect(failed(verdicts)).toEqual([])
})
