// Combinations: which settings a failure names, what a refusal by name leaves out, and how often the plan is sent.
import { expect, test } from 'vitest'
import { chatCompletionRequest } from '../../../../../spec/schemas/request.ts'
import { type Exchange, requestJson } from '../../../../../harness/http/exchange.ts'
import { bodyOfCall, isChat } from '../../../../../fixtures/faulty/calls.ts'
import { failed, judgeFault, notPassed, outcomesOf } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { cases } from './combinations.ts'

const asIs: Start = () => (call, forward) => forward(call)

/** Judges by the cases with these ids. */
function judge(fault: string | Start, ...ids: readonly string[]) {
  return judgeFault(
    fault,
    cases.filter(({ id }) => ids.includes(id)),
    { runs: 1 },
  )
}

/** The number of faults of each table that `npm test` judges. */
const SAMPLE = 4

const NAMED = [
  ['together-refuses-logprobs-of-tools', 'combinations.chat-1', ['tools', 'logprobs']],
  ['together-refuses-logprobs-of-tools', 'combinations.stream-1', ['stream', 'tools', 'logprobs']],
  [
    'together-fails-for-streamed-json-of-choices',
    'combinations.stream-1',
    ['stream', 'response_format', 'n'],
  ],
  ['together-ignores-stop-of-streamed-choices', 'combinations.wire-8', ['stream', 'stop', 'n']],
  ['together-ignores-formats-beside-tools', 'combinations.wire-17', ['tools', 'response_format']],
  ['together-ignores-formats-beside-tools', 'combinations.wire-18', ['tools', 'response_format']],
  [
    'together-ignores-choice-of-streamed-json',
    'combinations.tool-3',
    ['stream', 'tool_choice', 'response_format'],
  ],
  ['together-ignores-n-of-streamed-tools', 'combinations.wire-6', ['stream', 'tools', 'n']],
  ['together-counts-no-streamed-choices', 'combinations.stream-7', ['stream_options', 'n']],
  [
    'together-reports-no-tokens-of-later-choices',
    'combinations.wire-19',
    ['stream', 'response_format', 'logprobs', 'n'],
  ],
  ['together-shifts-streamed-candidates', 'combinations.wire-19', ['stream', 'top_logprobs', 'n']],
  [
    'together-finishes-cut-calls',
    'combinations.wire-7',
    ['stream_options', 'tool_choice', 'max_tokens', 'n'],
  ],
  ['together-ends-no-stopped-choices', 'combinations.stream-5', ['stream', 'logprobs', 'stop']],
  ['tools-requires-nothing', 'combinations.tool-3', ['tool_choice']],
  ['stream-fails-every-time', 'combinations.stream-6', ['stream']],
] as const

async function namesFewest(fault: string, check: string, settings: readonly string[]): Promise<void> {
  const [verdict] = await judge(fault, check)
  expect(verdict?.outcome).toBe('fail')
  const [, named = ''] = /with (`.*) (?:together|alone), got/s.exec(verdict?.reason ?? '') ?? []
  const names = [...named.matchAll(/`(\w+)` \(/g)].map(([, name]) => name)
  expect(names.toSorted()).toEqual(settings.toSorted())
}
test.each(NAMED.slice(0, SAMPLE))('%s: %s names the fewest settings', namesFewest)
test.each(NAMED.slice(SAMPLE))('%s: %s names the fewest settings', { tags: 'slow' }, namesFewest)

test('sends a plan of 40 to 60 valid requests once, whatever the number of rows', async () => {
  const sent: unknown[] = []
  const onExchange = ({ request }: Exchange) => void sent.push(requestJson(request))
  const rows = cases.filter(({ id }) => id !== 'combinations.messages-read')
  const verdicts = await judgeFault(asIs, rows, { runs: 1, onExchange })
  expect(notPassed(verdicts)).toEqual([])
  const plan = sent.filter((body) => JSON.stringify(body).includes('in one line'))
  expect(plan.length).toBeGreaterThanOrEqual(40)
  expect(plan.length).toBeLessThanOrEqual(60)
  for (const body of plan) expect(chatCompletionRequest.safeParse(body).error).toBeUndefined()
})

test.each(['odd-refuses-combinations', 'odd-demands-a-last-user', 'odd-bounds', 'odd-json-layout'])(
  'accepts %s',
  async (id) => {
    const verdicts = await judgeFault(id, cases, { runs: 1 })
    expect(failed(verdicts)).toEqual([])
    expect(outcomesOf(verdicts)).not.toContain('inconclusive')
  },
)

test('leaves out what is refused alone, and still finds a pair of other settings', async () => {
  const start: Start = () => async (call, forward) => {
    const { stop, n, stream } = bodyOfCall(call) ?? {}
    const isFaulty = isChat(call) && (stop !== undefined || (n === 2 && stream === true))
    if (!isFaulty) return forward(call)
    return { status: 500, headers: [['content-type', 'application/json']], body: failure() }
  }
  const [plain, streamed] = await judge(start, 'combinations.chat-1', 'combinations.stream-1')
  expect(plain?.outcome).toBe('pass')
  expect(streamed?.reason).toContain('with `stream` (true) and `n` (2) together')
})

async function* failure(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"error":{"message":"It broke.","type":"api_error","code":"x"}}')
}

test('finds a last message of the assistant in parts that is not read', async () => {
  const verdicts = await judge('together-drops-last-parts', 'combinations.messages-read')
  expect(verdicts[0]?.reason).toContain('with `content` (parts) and `messages` (assistant-last) together')
})
