// The counts of `usage`, plain and streamed, whatever the answer is: whole, cut, of several choices, with calls (WIRE-3).
import { type Case, type CaseContext, defineCase } from '../../runner/case.ts'
import { readStream } from '../../../harness/http/event-stream.ts'
import { type Exchange, json } from '../../../harness/http/exchange.ts'
import { usageCounts, usageMismatch } from '../../../harness/verify/verify-completion.ts'
import type { Verifier } from '../../../harness/verify/verify.ts'
import { at } from '../../../harness/verify/json-value.ts'
import { PROMPT, messagesOf } from '../requests/chat.ts'
import { answerEitherWay, bothWays } from '../streaming/answers.ts'
import { forcedCalls } from '../tools/requests.ts'

/** The three counts, and those of the details, on every chunk that has a usage. */
export const streamedUsage: Verifier = (exchange) => {
  for (const chunk of readStream(exchange).chunks) {
    const mismatch = usageMismatch(at(chunk, 'usage'))
    if (mismatch !== undefined) return mismatch
  }
  return undefined
}

type Members = Readonly<Record<string, unknown>>

/** An answer to a request with this one field. */
function withField(field: string, value: unknown) {
  return async (t: CaseContext, members: Members, streamed: boolean): Promise<Exchange> => {
    await t.target.requireField(field)
    return answerEitherWay(t, { messages: messagesOf(PROMPT), ...members, [field]: value }, streamed)
  }
}

/** Answers whose usage is verified, by slug. */
const answers = {
  counts: {
    title: 'a whole answer',
    ask: (t: CaseContext, members: Members, streamed: boolean) =>
      answerEitherWay(t, { messages: messagesOf(PROMPT), ...members }, streamed),
  },
  cut: { title: 'an answer that is cut', ask: withField('max_tokens', 2) },
  choices: { title: 'two choices', ask: withField('n', 2) },
  calls: {
    title: 'an answer with calls',
    ask: (t: CaseContext, members: Members, streamed: boolean) =>
      forcedCalls(t, { ...members, ...(streamed ? { stream: true } : {}) }),
  },
} as const

export const usageCases: readonly Case[] = Object.entries(answers).flatMap(([kind, { title: of, ask }]) =>
  bothWays.map(({ slug, title, streamed }) =>
    defineCase(
      `wire.usage-${kind}${slug}`,
      'WIRE-3',
      `the counts of \`usage\` of ${of}${title}`,
      async (t) => {
        if (streamed) await t.target.requireField('stream_options')
        const exchange = await ask(t, streamed ? { stream_options: { include_usage: true } } : {}, streamed)
        const usage = streamed ? readStream(exchange).usage : at(json(exchange), 'usage')
        if ((usage ?? null) === null) t.notApplicable('the answer has no usage')
        t.expect(exchange, streamed ? streamedUsage : usageCounts)
      },
    ),
  ),
)
