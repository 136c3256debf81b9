// `max_tokens` and `max_completion_tokens` bound the output, and a cut answer says so (WIRE-7).
import { type Case, type CaseContext, check } from '../../case.ts'
import { contentOf } from '../../../../../harness/verify/verify-completion.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { at } from '../../../../../harness/json-value.ts'
import { choicesAsked, textsOf, usageOf } from '../requests/asked.ts'
import { ownStream } from '../streaming/streamed-answers.ts'
import { reportedTokens } from './logprobs.ts'
import { LONG_PROMPT, answerWith, finishedBy, messagesOf, steadyMembers } from '../requests/chat-calls.ts'

/** The limits that are tried, in tokens. */
const TOKENS = [1, 5] as const

/** No token of any vocabulary is longer than this in text, in characters. */
const LONGEST_TOKEN = 128

const entriesOf = ({ lists }: ReturnType<typeof reportedTokens>[number]): number =>
  lists.reduce((sum, { entries = [] }) => sum + entries.length, 0)

/**
 * Verifies that at most `limit` tokens came in each requested choice, by the usage if it is given, else by the entries
 * of logprobs, and by the length of the texts.
 */
export function atMostTokens(limit: number): Verifier {
  return (exchange) => {
    const most = limit * choicesAsked(exchange)
    const counted = at(usageOf(exchange), 'completion_tokens')
    if (typeof counted === 'number' && counted > most)
      return { expected: `at most ${most} completion_tokens`, actual: String(counted) }
    // Entries beside a count that holds the bound are WIRE-32's matter.
    const entries = typeof counted === 'number' ? 0 : Math.max(0, ...reportedTokens(exchange).map(entriesOf))
    if (entries > limit) return { expected: `at most ${limit} entries of logprobs`, actual: String(entries) }
    const length = Math.max(0, ...textsOf(exchange).map((text) => text.length))
    if (length <= limit * LONGEST_TOKEN) return undefined
    return { expected: `the text of at most ${limit} tokens`, actual: `${length} characters` }
  }
}

export const tokenLimitCases: readonly Case[] = (['max_tokens', 'max_completion_tokens'] as const).flatMap(
  (field) => {
    const slug = field.replaceAll('_', '-')
    return [
      check(`wire.${slug}-bound`, 'WIRE-7', `\`${field}\` bounds the output`).run(async (t: CaseContext) => {
        await t.target.requireField(field)
        const echoes = await t.target.echoes()
        for (const limit of TOKENS) {
          const exchange = await answerWith(t, { messages: messagesOf(LONG_PROMPT), [field]: limit })
          t.expect(exchange, atMostTokens(limit))
          const cut = contentOf(exchange) !== LONG_PROMPT
          t.assert(!echoes || cut, { expected: 'less than the whole echo', actual: 'all of it' }, exchange)
        }
      }),
      check(`wire.${slug}-bound-streamed`, 'WIRE-7', `\`${field}\` bounds the output, streamed`).run(
        async (t: CaseContext) => {
          await t.target.requireField(field)
          const hasUsage = await t.target.supports('stream_options')
          const hasEntries = await t.target.supports('logprobs')
          const [limit] = TOKENS.slice(-1)
          const { exchange } = await ownStream(t, {
            messages: messagesOf(LONG_PROMPT),
            [field]: limit,
            ...(hasUsage ? { stream_options: { include_usage: true } } : {}),
            ...(hasEntries ? { logprobs: true } : {}),
          })
          t.expect(exchange, atMostTokens(Number(limit)))
        },
      ),
      check(`wire.${slug}-length`, 'WIRE-7', `an answer that \`${field}\` cuts ends with \`length\``).run(
        async (t) => {
          await t.target.requireField(field)
          const whole = await longerAnswer(t, field)
          const exchange = await answerWith(t, { ...whole.request, [field]: 2 })
          // Where the limit did not cut, `wire.*-bound` judges it.
          if ((contentOf(exchange) ?? '').length >= whole.length) t.notApplicable('the answer was not cut')
          t.expect(exchange, finishedBy('length'))
        },
      ),
    ]
  },
)

/** Returns a request that always has the same answer, and the length of that answer with a high limit or none. */
async function longerAnswer(t: CaseContext, field: string) {
  const request = { messages: messagesOf(LONG_PROMPT), ...(await steadyMembers(t)) }
  if (await t.target.echoes()) return { request, length: LONG_PROMPT.length }
  await t.target.requireDeterministic()
  const exchange = await answerWith(t, { ...request, [field]: 16 })
  return { request, length: (contentOf(exchange) ?? '').length }
}
