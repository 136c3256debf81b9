// The counts of `usage`, plain and streamed, whatever the answer is: whole, cut, of several choices, with calls (WIRE-3).
import type { Case, CaseContext } from '../../case.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { usageCounts, usageMismatch } from '../../../../../harness/verify/verify-completion.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { at, listAt, show } from '../../../../../harness/json-value.ts'
import { askedOf, textsOf, usageOf } from '../requests/asked.ts'
import { PROMPT, messagesOf } from '../requests/chat-calls.ts'
import { answerEitherWay, eitherWay } from '../streaming/streamed-answers.ts'
import { forcedCalls } from '../tools/tool-requests.ts'

/** The three counts, and those of the details, on every chunk that has a usage. */
export const streamedUsage: Verifier = (exchange) => {
  for (const chunk of readStream(exchange).chunks) {
    const mismatch = usageMismatch(at(chunk, 'usage'))
    if (mismatch !== undefined) return mismatch
  }
  return undefined
}

function hasText(message: unknown): boolean {
  const content = at(message, 'content')
  const texts = Array.isArray(content) ? content.map((part) => at(part, 'text')) : [content]
  return texts.some((text) => typeof text === 'string' && text.trim() !== '')
}

/** Text is counted: that of the prompt, and that of every choice, by one token at least. */
export const textIsCounted: Verifier = (exchange) => {
  const usage = usageOf(exchange)
  if ((usage ?? null) === null) return undefined
  const actual = show(usage)
  const isPromptCounted = Number(at(usage, 'prompt_tokens')) > 0
  if (!isPromptCounted && listAt(askedOf(exchange), 'messages').some(hasText))
    return { expected: 'usage.prompt_tokens above 0 for a prompt with text', actual }
  const written = textsOf(exchange).filter((text) => text !== '').length
  if (Number(at(usage, 'completion_tokens')) >= written) return undefined
  return { expected: `usage.completion_tokens of ${written} or more: ${written} choices have text`, actual }
}

type Ask = (t: CaseContext, members: Members, streamed: boolean) => Promise<Exchange>

function withField(field: string, value: unknown): Ask {
  return async (t, members, streamed) => {
    await t.target.requireField(field)
    return answerEitherWay(t, { messages: messagesOf(PROMPT), ...members, [field]: value }, streamed)
  }
}

/** A bound of one token, if the target accepts one. */
async function oneToken(t: CaseContext): Promise<Members> {
  return (await t.target.supports('max_tokens')) ? { max_tokens: 1 } : {}
}

const answers: Readonly<Record<string, readonly [title: string, ask: Ask]>> = {
  counts: [
    'a whole answer',
    (t, members, streamed) => answerEitherWay(t, { messages: messagesOf(PROMPT), ...members }, streamed),
  ],
  cut: ['an answer that is cut', withField('max_tokens', 2)],
  choices: [
    'two choices',
    // As many tokens as choices, so that a count of one choice is below the number of choices.
    async (t, members, streamed) => withField('n', 2)(t, { ...members, ...(await oneToken(t)) }, streamed),
  ],
  calls: [
    'an answer with calls',
    (t, members, streamed) => forcedCalls(t, { ...members, ...(streamed ? { stream: true } : {}) }),
  ],
}

export const usageCases: readonly Case[] = Object.entries(answers).flatMap(([kind, [of, ask]]) =>
  eitherWay(`wire.usage-${kind}`, 'WIRE-3', `the counts of \`usage\` of ${of}`).run(
    async (t, { streamed }) => {
      if (streamed) await t.target.requireField('stream_options')
      const exchange = await ask(t, streamed ? { stream_options: { include_usage: true } } : {}, streamed)
      if ((usageOf(exchange) ?? null) === null) t.notApplicable('the answer has no usage')
      t.expect(exchange, streamed ? streamedUsage : usageCounts, textIsCounted)
    },
  ),
)
