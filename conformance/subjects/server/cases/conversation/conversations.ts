// Conversations whose roles come in an unusual order (WIRE-26), and prompts that grow until they are longer than the context
// of many models (WIRE-28).
import { type CaseContext, type Variants, checkEach } from '../../case.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { at } from '../../../../../harness/json-value.ts'
import { isSuccess, succeeded } from '../requests/chat-calls.ts'
import { chatWithHistory } from '../tools/history.ts'
import type { Members } from '../../../../contract/capabilities.ts'

/** Words of two prompts: one that fits, and one with more tokens than the default context of common engines (4,096). */
export const QUICK_WORDS: readonly number[] = [500, 5000]

/** A count is examined if it is below this share of the expected one. Repeated text has repeated tokens, so the count grows evenly. */
const LINEAR = 0.75

/** A prompt of twice the words has more tokens than this times those before, unless text is left out. */
const LEAST_GROWTH = 1.1

/** No longer prompt is sent after an answer that took longer, or if it would probably take longer than the other, in milliseconds. */
export const LONGEST_MS = 8000
const LONGEST_NEXT_MS = 25_000

const LINE_WORDS = 5
const LINES_OF_A_TURN = 20

/** Lines of five words, each another line. */
function linesOf(words: number): readonly string[] {
  return Array.from({ length: words / LINE_WORDS }, (_, line) => `Line ${line} mentions gold, stone.`)
}

const reply = { role: 'assistant', content: 'Noted.' }
const greeting = { role: 'user', content: 'Say hello.' }

/** The sizes of one long message, in words. */
export const LONG_WORDS: readonly number[] = [...QUICK_WORDS, 20_000]

/** A conversation whose first message has this many words. */
export const longMessage = (words: number): readonly object[] => [
  { role: 'user', content: linesOf(words).join('\n') },
  reply,
  greeting,
]

type Build = (words: number) => readonly object[]

/**
 * The forms of a long conversation, with the sizes of its prompts in words. The last message is short: a model that echoes
 * answers it briefly.
 */
const forms: Variants<[sizes: readonly number[], build: Build]> = {
  message: ['one long message, of up to 20000 words', LONG_WORDS, longMessage],
  turns: [
    'many turns, of up to 5000 words',
    QUICK_WORDS,
    (words) => {
      const lines = linesOf(words)
      const turns = Array.from({ length: Math.ceil(lines.length / LINES_OF_A_TURN) }, (_, turn) => ({
        role: 'user',
        content: lines.slice(turn * LINES_OF_A_TURN, (turn + 1) * LINES_OF_A_TURN).join('\n'),
      }))
      return [...turns.flatMap((turn) => [turn, reply]), greeting]
    },
  ],
}

/** Returns the answer to a prompt of `words` words, and its `prompt_tokens`: undefined if the prompt is refused. */
async function ask(t: CaseContext, build: Build, words: number) {
  const exchange = await chatWithHistory(t, { messages: build(words) })
  const { status } = exchange.response
  if (status >= 400 && status < 500) return { exchange, words, tokens: undefined }
  if (!isSuccess(exchange))
    t.inconclusive(`a prompt of ${words} words was answered with ${status}, which CHAT-9 judges`)
  const tokens = at(json(exchange), 'usage', 'prompt_tokens')
  if (typeof tokens !== 'number') t.notApplicable('the answer has no `usage.prompt_tokens`')
  return { exchange, words, tokens }
}

/** Sends prompts of these sizes, until one is refused. */
async function growPrompt(t: CaseContext, build: Build, sizes: readonly number[]): Promise<void> {
  let before: number | undefined
  let wordsBefore = 0
  for (const [place, words] of sizes.entries()) {
    const began = t.now()
    const { exchange, tokens } = await ask(t, build, words)
    const tookMs = t.now() - began
    if (tokens === undefined && before === undefined)
      t.inconclusive(`a prompt of ${words} words is refused, which CHAT-1 judges`)
    if (tokens === undefined) return t.expect(exchange, () => undefined)
    const isSuspect = before !== undefined && tokens < before * (words / wordsBefore) * LINEAR
    t.expect(exchange, () => undefined)
    if (isSuspect) await expectGrowth(t, build, words, tokens)
    const next = sizes[place + 1]
    if (
      next !== undefined &&
      (tookMs > LONGEST_MS || promptMs(t, exchange, tookMs) * (next / words) > LONGEST_NEXT_MS)
    )
      t.inconclusive(
        `a prompt of ${words} words took ${(tookMs / 1000).toFixed(1)} s: none of ${next} words was sent`,
      )
    before = tokens
    wordsBefore = words
  }
}

/** The time that the prompt of an answer took, without the tokens of the answer, in milliseconds. */
function promptMs(t: CaseContext, exchange: Exchange, tookMs: number): number {
  const { pace } = t.target.plan()
  const answered = Number(at(json(exchange), 'usage', 'completion_tokens') ?? 0)
  return pace === undefined ? 0 : Math.max(0, tookMs - answered * pace.tokenMs)
}

/** A prompt whose count is low is compared with one of twice its words. */
async function expectGrowth(t: CaseContext, build: Build, words: number, tokens: number): Promise<void> {
  const twice = await ask(t, build, words * 2)
  t.expect(twice.exchange, () => {
    if (twice.tokens === undefined || twice.tokens >= tokens * LEAST_GROWTH) return undefined
    return {
      expected: `a 400, or prompt_tokens well above the ${tokens} of a prompt of ${words} words`,
      actual: `${twice.tokens} for ${twice.words} words`,
    }
  })
}

export const contextCases = checkEach('wire.long-*', 'WIRE-28', '`prompt_tokens` of *', forms).run(
  (t, sizes, build) => growPrompt(t, build, t.quick ? QUICK_WORDS : sizes),
)

const question = { role: 'user', content: 'What does the word mean?' }
const again = { role: 'user', content: 'Give an example, too.' }
const answer = { role: 'assistant', content: 'Which word?' }
const system = { role: 'system', content: 'Be brief.' }

function callOf(id: string, word: string): object {
  return { id, type: 'function', function: { name: 'look_up', arguments: JSON.stringify({ word }) } }
}

const calls = {
  role: 'assistant',
  content: null,
  tool_calls: [callOf('call_1', 'stone'), callOf('call_2', 'gold')],
}
const results = [
  { role: 'tool', tool_call_id: 'call_1', content: 'A piece of rock.' },
  { role: 'tool', tool_call_id: 'call_2', content: 'A metal.' },
]

/** Messages, and the same in the usual order. WIRE-9 judges whether those are accepted. */
const conversations: Variants<[messages: readonly Members[], usual: readonly Members[]]> = {
  'two-user-messages': ['two user messages in a row', [question, again], [question, answer, again]],
  'late-system-message': [
    'a system message that is not first',
    [question, answer, system, again],
    [system, question, answer, again],
  ],
  'assistant-first': ['an assistant message first', [answer, question], [question, answer, again]],
  'results-in-another-order': [
    'the results of two calls in another order than the calls',
    [question, calls, ...results.toReversed()],
    [question, calls, ...results],
  ],
}

/** Conversations with a second message of the system. */
const systems: typeof conversations = {
  'two-system-messages': ['two system messages in a row', [system, system, question], [system, question]],
}

/** The messages are taken, or the target refuses them in the usual order, too. */
async function takenInOrder(t: CaseContext, messages: readonly Members[], usual: readonly Members[]) {
  const exchange = await chatWithHistory(t, { messages })
  if (!isSuccess(exchange) && !isSuccess(await t.chat({ messages: usual })))
    t.inconclusive('these messages are refused in the usual order too, which WIRE-9 judges')
  t.expect(exchange, succeeded)
}

export const conversationCases = [
  ...checkEach('wire.order-*', 'WIRE-26', '*', conversations).run(takenInOrder),
  ...checkEach('wire.order-*', 'WIRE-26', '*', systems).run(takenInOrder),
]
