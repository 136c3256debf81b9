// The ids of calls in one conversation (TOOL-9), by its own cases and in any other exchange of the run.
import { expect, it, test } from 'vitest'
import { failed, judgeFault, notPassed } from '../scripted/judge-fault.fixture.ts'
import { callIdCases, callIdObservers } from './call-ids.ts'
import { cases } from './tools.ts'

const judge = (id: string) => judgeFault(id, callIdCases, { observers: callIdObservers })

test.each([
  ['tools-numbers-calls-of-each-answer', ['tools.new-ids', 'tools.new-ids-streamed', 'tools.every-new-id']],
  ['tools-numbers-streamed-calls', ['tools.new-ids-streamed', 'tools.every-new-id']],
  ['tools-names-calls-after-their-functions', ['tools.new-ids', 'tools.every-new-id']],
])('%s fails %s', async (fault, checks) => {
  expect(failed(await judge(fault))).toEqual(checks)
})

test.each(['odd-counts-its-calls', 'odd-counts-calls-of-conversations', 'odd-vllm-call-ids'])(
  'accepts %s',
  async (id) => expect(notPassed(await judge(id))).toEqual([]),
)

it('leaves ids alone that a fake history of the judge and an answer have', async () => {
  const histories = cases.filter(({ id }) => id.startsWith('tools.round-trip'))
  const verdicts = await judgeFault('odd-counts-its-calls', histories, { observers: callIdObservers })
  expect(failed(verdicts)).toEqual([])
})
