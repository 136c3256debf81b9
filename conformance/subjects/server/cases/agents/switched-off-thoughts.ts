// `reasoning_effort: "none"` switches the thoughts of a model off, or is refused by name (WIRE-34).
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { choicesOf } from '../../../../../harness/verify/verify-completion.ts'
import { type Verifier, status } from '../../../../../harness/verify/verify.ts'
import type { Case, CaseContext } from '../../case.ts'
import { isSuccess, messagesOf, named } from '../requests/chat-calls.ts'
import { readsAsStream, usageOf } from '../requests/asked.ts'
import { thoughtsIn } from '../requests/markers.ts'
import { thoughtsOf } from '../requests/markup.ts'
import { type Way, choicesIn, eitherWay, readAnswer, requireOrdinary } from '../streaming/streamed-answers.ts'

/** Makes a model think that does. */
const PROMPT = 'How many minutes are there in three days and a half?'

/** No member of an answer has thoughts, its content has none, and it counts none. */
const noThoughts: Verifier = (exchange) => {
  const expected = 'no thoughts in an answer with `reasoning_effort`: none'
  const thoughts = writtenThoughts(exchange).find((text) => text.trim() !== '')
  if (thoughts !== undefined) return { expected, actual: `reasoning ${show(thoughts)}` }
  const inContent = choicesIn(exchange)
    .map(({ content }) => (typeof content === 'string' ? thoughtsIn(content) : undefined))
    .find((text) => text !== undefined)
  if (inContent !== undefined) return { expected, actual: `content with the thoughts ${show(inContent)}` }
  const tokens = at(usageOf(exchange), 'completion_tokens_details', 'reasoning_tokens')
  return typeof tokens === 'number' && tokens > 0
    ? { expected, actual: `reasoning_tokens ${tokens}` }
    : undefined
}

const writtenThoughts = (exchange: Exchange): readonly string[] =>
  readsAsStream(exchange)
    ? readStream(exchange).choices.map(({ deltas }) => thoughtsOf(deltas))
    : choicesOf(json(exchange)).map((choice) => thoughtsOf([at(choice, 'message')]))

async function switchedOff(t: CaseContext, { members, streamed }: Way): Promise<void> {
  // The thoughts come first: the beginning of an answer shows them.
  const bound = await t.target.brief(t.target.plan().wholeTokens)
  const counts = streamed && (await t.target.supports('stream_options'))
  const exchange = await t.chat({
    ...bound,
    messages: messagesOf(PROMPT),
    reasoning_effort: 'none',
    ...members,
    ...(counts ? { stream_options: { include_usage: true } } : {}),
  })
  if (isSuccess(exchange)) {
    if (streamed) readAnswer(t, exchange)
    return t.expect(exchange, noThoughts)
  }
  await requireOrdinary(t, streamed)
  t.expect(exchange, status(400), named(['reasoning_effort']))
}

export const effortCases: readonly Case[] = eitherWay(
  'wire.effort-none',
  'WIRE-34',
  '`reasoning_effort`: none, kept or refused by name',
).run(switchedOff)
