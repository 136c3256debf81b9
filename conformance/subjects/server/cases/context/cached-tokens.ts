// The count of cached tokens is honest (WIRE-35): none for a text that was never sent, and the same streamed as plain.
import { createHash } from 'node:crypto'
import { type Exchange, header } from '../../../../../harness/http/exchange.ts'
import { at } from '../../../../../harness/json-value.ts'
import { showBody } from '../../../../../harness/verify/verify.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { usageOf } from '../requests/asked.ts'
import { isSuccess, plainAnswer } from '../requests/chat-calls.ts'
import { streamedAnswer } from '../streaming/streamed-answers.ts'
import { promptOf, promptSizes } from './long-prompts.ts'

/** The prompt that the row is about, in tokens, and one that has certainly as many. */
const LEAST_TOKENS = 2000
const SENT_TOKENS = 2200

/** The block in which the counts may differ, in tokens. */
const BLOCK = 256

/** A cache may lose a prompt when others come: a count is compared with the highest of this number. */
const ROUNDS = 3

/** The time of a token of a prompt as a share of one of an answer, and the longest time of a prompt in milliseconds. */
const PROMPT_SHARE = 0.1
const LONGEST_MS = 25_000

/** A prompt that begins with a text which no service has read: it follows from an answer of its own, whose id is new. */
async function newPrompt(t: CaseContext): Promise<readonly object[]> {
  const { pace } = t.target.plan()
  if (pace !== undefined && pace.tokenMs * SENT_TOKENS * PROMPT_SHARE > LONGEST_MS)
    t.notApplicable(`the model is too slow for a prompt of ${LEAST_TOKENS} tokens`)
  const size = await promptSizes(t)
  const answer = await plainAnswer(t)
  const seed = [String(t.seed), header(answer, 'date') ?? '', showBody(answer)].join('\n')
  const text = createHash('sha256').update(seed).digest('hex').match(/.{4}/g)?.join(' ') ?? ''
  return promptOf(size(SENT_TOKENS, 'least').lines, `${text}\n`)
}

/** The count of cached tokens of an answer, and that of its prompt. Not applicable if it has none. */
function countsOf(t: CaseContext, exchange: Exchange) {
  const usage = usageOf(exchange)
  const [cached, prompt] = [at(usage, 'prompt_tokens_details', 'cached_tokens'), at(usage, 'prompt_tokens')]
  if (typeof cached !== 'number' || typeof prompt !== 'number')
    return t.notApplicable('the usage has no `prompt_tokens_details.cached_tokens`')
  t.assert(cached <= prompt, { expected: `cached_tokens up to ${prompt}`, actual: String(cached) }, exchange)
  return { exchange, cached, prompt }
}

async function plain(t: CaseContext, messages: readonly object[]) {
  const exchange = await t.chat({ messages })
  if (!isSuccess(exchange)) t.inconclusive('a long prompt is refused, which WIRE-28 and MODEL-9 judge')
  return countsOf(t, exchange)
}

/** The first answer to a new prompt: few of its tokens can be cached. */
async function firstOf(t: CaseContext, messages: readonly object[]) {
  const first = await plain(t, messages)
  if (first.prompt < LEAST_TOKENS) t.inconclusive(`the prompt has only ${first.prompt} tokens`)
  return first
}

export const cachedTokenCases: readonly Case[] = [
  check('wire.cached-tokens-of-a-new-text', 'WIRE-35', '`cached_tokens` of a text that was never sent').run(
    async (t: CaseContext) => {
      const { cached, prompt, exchange } = await firstOf(t, await newPrompt(t))
      const expected = `cached_tokens below ${BLOCK}, of a prompt of ${prompt} tokens that begins with a new text`
      t.assert(cached < BLOCK, { expected, actual: String(cached) }, exchange)
    },
  ),
  check('wire.cached-tokens-again', 'WIRE-35', '`cached_tokens` of the same prompt again').run(
    async (t: CaseContext) => {
      const messages = await newPrompt(t)
      const first = await firstOf(t, messages)
      let again = await plain(t, messages)
      for (let round = 1; round < ROUNDS && again.cached < first.cached; round += 1)
        again = await plain(t, messages)
      const expected = `cached_tokens from ${first.cached}, as the first time`
      t.assert(again.cached >= first.cached, { expected, actual: String(again.cached) }, again.exchange)
    },
  ),
  check(
    'wire.cached-tokens-streamed',
    'WIRE-35',
    '`cached_tokens` of the same prompt, streamed and plain',
  ).run(async (t: CaseContext) => {
    await t.target.requireField('stream_options')
    const messages = await newPrompt(t)
    await firstOf(t, messages)
    const highest = { plain: 0, streamed: 0 }
    for (let round = 1; ; round += 1) {
      highest.plain = Math.max(highest.plain, (await plain(t, messages)).cached)
      const { exchange } = await streamedAnswer(t, { messages, stream_options: { include_usage: true } })
      highest.streamed = Math.max(highest.streamed, countsOf(t, exchange).cached)
      const agree = Math.abs(highest.plain - highest.streamed) <= BLOCK
      if (!agree && round < ROUNDS) continue
      const expected = `cached_tokens within ${BLOCK} of ${highest.plain}, those of the plain answer`
      return t.assert(agree, { expected, actual: String(highest.streamed) }, exchange)
    }
  }),
]
