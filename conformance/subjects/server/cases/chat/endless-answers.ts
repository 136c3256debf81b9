// No answer goes on and on: each answer of a run that was cut while bytes still came, and requests with values that trip
// up a loop over choices or tokens (CHAT-9).
import type { Case, CaseContext } from '../../case.ts'
import { type Exchange, memoryOf } from '../../../../../harness/http/exchange.ts'
import { type Verifier, completeAnswer } from '../../../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import { boundOf, choicesAsked } from '../requests/asked.ts'
import { PROMPT, messagesOf } from '../requests/chat-calls.ts'
import { eitherWay } from '../streaming/streamed-answers.ts'
import { notServerError } from './hostile-bodies.ts'

/** The most that one token takes in a stream, in bytes of memory: with twenty candidates and a piece of its own. */
const TOKEN_BYTES = 4 * 1024

/** A server that ignores a bound may write this much more, in bytes of memory; WIRE-7 judges it. */
const UNBOUNDED_BYTES = 2 * 1024 * 1024

/** The tokens that a chat request allows; undefined if it has no bound. */
function tokensAllowed(exchange: Exchange): number | undefined {
  const bound = boundOf(exchange)
  return bound && bound * choicesAsked(exchange)
}

/** A slow answer has few bytes when its time is over. */
const ends: Verifier = (exchange) => {
  const tokens = tokensAllowed(exchange) ?? Infinity
  const { body, end } = exchange.response
  const isStopped = end === 'timeout' || end === 'too-large'
  if (!isStopped || memoryOf(exchange) <= UNBOUNDED_BYTES + tokens * TOKEN_BYTES) return undefined
  const seconds = (exchange.timings.totalMs / 1000).toFixed(1)
  return {
    expected: `an answer that ends, of at most ${tokens} token${tokens === 1 ? '' : 's'}`,
    actual: `${body.length} bytes in ${seconds} s, and more to come`,
  }
}

export const endlessObserver: Observer = observe(
  'chat.every-answer-ends',
  'CHAT-9',
  'the end of every answer whose length is bounded',
)
  .with({ includesCut: true })
  .on((exchange) => exchange.response.status === 200 && tokensAllowed(exchange) !== undefined)
  .verify(ends)

/** Values that some loop may take for a number of rounds, or for no reason to end. */
const values: readonly Members[] = [
  ...[0, -1, 1.5, '1', true].map((n) => ({ n })),
  { stop: [] },
  { stop: '' },
  { stop: [''] },
  { seed: -1 },
  { temperature: -1 },
  { top_p: 0 },
  { frequency_penalty: -9 },
  { top_logprobs: -1 },
  { messages: [] },
]

export const endlessCases: readonly Case[] = eitherWay(
  'chat.odd-values',
  'CHAT-9',
  'numbers and lists that no loop may count by',
).run(async (t: CaseContext, { streamed }) => {
  const bound = (await t.target.supports('max_tokens')) ? { max_tokens: 1 } : {}
  for (const members of t.quick ? values.slice(0, 1) : values) {
    const stream = streamed ? { stream: true } : {}
    const exchange = await t.chat({ messages: messagesOf(PROMPT), ...bound, ...members, ...stream })
    t.expect(exchange, notServerError, ends, completeAnswer)
  }
})
