// Whether a program got what the server sent: the answers that it printed, and what it sent back with the next request.
import { requestJson } from '../../../harness/http/exchange.ts'
import { at, listAt } from '../../../harness/json-value.ts'
import { type PrintedAnswer, haveSameCalls, readCall } from '../../../harness/printed-answer.ts'
import type { RecordedExchange } from '../../exchanges/recorded-exchange.ts'
import { type Judged, type Passive, fails } from './judged.ts'
import { type SentAnswer, reasoningOf } from './sent-answer.ts'
import type { Use } from './uses.ts'

/** The printed answers are those that were sent. */
export function judgePrinted(
  use: Use,
  sent: readonly SentAnswer[],
  printed: readonly PrintedAnswer[],
  shown: RecordedExchange | undefined,
  { server }: Passive,
): Judged | undefined {
  if (printed.length < sent.length)
    return fails(
      'client',
      undefined,
      `The program printed ${printed.length} of ${sent.length} answers.`,
      shown,
    )
  const row = shown !== undefined && isStream(shown) ? 'READ-5' : 'READ-13'
  const left = [...printed]
  for (const answer of sent) {
    const place = left.findIndex((one) => (one.content ?? '') === answer.content)
    const [one] = place === -1 ? [undefined] : left.splice(place, 1)
    if (one === undefined)
      return fails('client', row, 'The program printed another text than the server sent.', shown)
    const calls = Array.isArray(one.toolCalls) ? one.toolCalls.map(readCall) : []
    if (
      !haveSameCalls(
        calls,
        answer.calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
      )
    )
      return fails('client', 'READ-9', 'The program printed other calls than the server sent.', shown)
    if ('stream_options' in use.request && !hasSameCounts(one.usage, answer.usage))
      return hasCounts(answer.usage)
        ? fails(
            'client',
            'READ-6',
            'The program printed other token counts than the server sent, or none.',
            shown,
          )
        : fails(
            'server',
            'STREAM-7',
            'The stream has no token counts, although the request has `include_usage`.',
            shown,
          )
    if (use.missing !== undefined && answer.reasoning !== '' && (one.reasoning ?? '') !== answer.reasoning)
      return use.turns === undefined
        ? fails(
            'client',
            undefined,
            `The program does not show the reasoning, which the server sent as \`${answer.reasoningIn}\`.`,
            shown,
          )
        : undefined
    // A choice that goes on after its end can replace it.
    const isEndedOnce = !server.some(
      ({ outcome, requirement }) => outcome === 'fail' && requirement === 'STREAM-5',
    )
    if (isEndedOnce && typeof one.finishReason === 'string' && one.finishReason !== answer.finishReason)
      return {
        verdict: 'works-with-a-defect',
        side: 'client',
        text: 'The program printed another `finish_reason` than the server sent.',
        shown,
      }
  }
  return undefined
}

const COUNTS = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const
const hasCounts = (usage: unknown): boolean => COUNTS.every((name) => typeof at(usage, name) === 'number')
const hasSameCounts = (one: unknown, other: unknown): boolean =>
  hasCounts(other) && COUNTS.every((name) => at(one, name) === at(other, name))

/** The next turn goes back with the calls, their results and the reasoning that were received. */
export function judgeNextTurn(
  use: Use,
  [first]: readonly { readonly answer: SentAnswer }[],
  next: RecordedExchange | undefined,
): Judged | undefined {
  const [turn] = use.turns ?? []
  if (turn === undefined || first === undefined || next === undefined) return undefined
  const messages = listAt(requestJson(next.request), 'messages')
  const { calls, reasoning, reasoningIn } = first.answer
  const results = messages.filter((message) => at(message, 'role') === 'tool')
  const isComplete = calls.every(({ id }) => results.some((result) => at(result, 'tool_call_id') === id))
  if (!isComplete)
    return fails('client', 'CALL-6', 'The next request lacks the result of a call, by its id.', next)
  const isBack = messages.some(
    (message) => at(message, 'role') === 'assistant' && reasoningOf(message) === reasoning,
  )
  if (!isBack)
    return typeof turn === 'string'
      ? fails(
          'client',
          'CALL-6',
          `The next request lacks the reasoning, which the server sent as \`${reasoningIn}\`.`,
          next,
        )
      : undefined
  return undefined
}

export const isStream = ({ request }: RecordedExchange): boolean =>
  at(requestJson(request), 'stream') === true
