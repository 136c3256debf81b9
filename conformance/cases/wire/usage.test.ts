// A count that is wrong in one kind of answer alone is seen there (WIRE-3).
import { expect, it } from 'vitest'
import { at } from '../../../harness/verify/json-value.ts'
import { type Fault, inChunks, inCompletion } from '../scripted/scripted-chat.fixture.ts'
import { judgeChat } from '../scripted/judge-scripted-chat.fixture.ts'
import { failed } from '../scripted/scripted-verdicts.fixture.ts'
import { usageCases } from './usage.ts'

const miscounted = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 3 }
const plain = inCompletion((body) => ({ ...body, usage: miscounted }))
const streamed = inChunks((chunk) => [at(chunk, 'usage') ? { ...chunk, usage: miscounted } : chunk])

function where(field: string, isMeant: (value: unknown) => boolean, fault: Fault): Fault {
  return (call, right) => (isMeant(at(call.body, field)) ? fault(call, right) : right(call))
}

it.each([
  ['wire.usage-cut', where('max_tokens', (value) => value === 2, plain)],
  ['wire.usage-cut-streamed', where('max_tokens', (value) => value === 2, streamed)],
  ['wire.usage-choices', where('n', (value) => value === 2, plain)],
  ['wire.usage-choices-streamed', where('n', (value) => value === 2, streamed)],
])('%s', async (check, fault) => {
  expect(failed(await judgeChat(fault, usageCases))).toEqual([check])
})

it('allows answers whose usage is null', async () => {
  const none: Fault = (call, right) =>
    inCompletion((body) => ({ ...body, usage: null }))(call, (next) =>
      inChunks((chunk) => [{ ...chunk, usage: null }])(next, right),
    )
  expect(failed(await judgeChat(none, usageCases))).toEqual([])
})
