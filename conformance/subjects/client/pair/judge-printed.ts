// Whether a program got what the server sent: the answers that it printed, and what it sent back with the next request.
import { requestJson } from '../../../../harness/http/exchange.ts'
import { at, listAt } from '../../../../harness/json-value.ts'
import {
  type PrintedAnswer,
  haveSameCalls,
  printedAnswers,
  readCall,
} from '../../../../harness/printed-answer.ts'
import type { RecordedExchange } from '../../../exchanges/recorded-exchange.ts'
import { type SentAnswer, reasoningOf } from './sent-answer.ts'
import { type Passive, atFault, notShown } from './use-ends.ts'
import type { Use } from './uses.ts'

/** The printed answers are those that were sent: JSON lines, or the text of one answer. Throws `UseEnd`. */
export function verifyPrinted(
  { requested, missing, name }: Use,
  sent: readonly SentAnswer[],
  stdout: string,
  shown: RecordedExchange,
  { server }: Passive,
): void {
  const left: PrintedAnswer[] = [...printedAnswers(stdout)]
  if (left.length === 0 && sent[0] !== undefined && sent.length === 1) {
    const hasText = verifyPlainText(stdout, sent[0], isStream(shown), shown)
    if (hasText && name === 'stream-usage')
      throw notShown('A program that prints plain text shows no usage.', shown)
    if (hasText) return
  }
  if (left.length < sent.length) {
    const text = `The program printed ${left.length} of ${sent.length} answers.`
    throw atFault('client', undefined, text, shown)
  }
  const row = isStream(shown) ? 'READ-5' : 'READ-13'
  for (const answer of sent) {
    const place = left.findIndex((one) => (one.content ?? '') === answer.content)
    const [one] = place === -1 ? [undefined] : left.splice(place, 1)
    if (one === undefined)
      throw atFault('client', row, 'The program printed another text than the server sent.', shown)
    const calls = Array.isArray(one.toolCalls) ? one.toolCalls.map(readCall) : []
    const called = answer.calls.map(({ name, arguments: args }) => ({ name, arguments: args }))
    if (!haveSameCalls(calls, called))
      throw atFault('client', 'READ-9', 'The program printed other calls than the server sent.', shown)
    if (name === 'stream-usage' && !hasSameCounts(one.usage, answer.usage))
      throw hasCounts(answer.usage)
        ? atFault(
            'client',
            'READ-6',
            'The program printed other token counts than the server sent, or none.',
            shown,
          )
        : atFault(
            'server',
            'STREAM-7',
            'The stream has no token counts, although the request has `include_usage`.',
            shown,
          )
    if (missing !== undefined && answer.reasoning !== '' && (one.reasoning ?? '') !== answer.reasoning) {
      if (requested.turns !== undefined) return
      const text = `The program does not show the reasoning, which the server sent as \`${answer.reasoningIn}\`.`
      throw atFault('client', undefined, text, shown)
    }
    // A choice that goes on after its end can replace it.
    const isEndedOnce = !server.some(
      ({ outcome, requirement }) => outcome === 'fail' && requirement === 'STREAM-5',
    )
    if (isEndedOnce && typeof one.finishReason === 'string' && one.finishReason !== answer.finishReason) {
      const text = 'The program printed another `finish_reason` than the server sent.'
      throw atFault('client', undefined, text, shown, true)
    }
  }
}

/** Whether the program printed plain text. Throws `UseEnd` if it is not that of the answer. */
function verifyPlainText(
  stdout: string,
  { content, calls, reasoning }: SentAnswer,
  isStreamed: boolean,
  shown: RecordedExchange,
): boolean {
  if (stdout.trim() === '') return false
  if (!stdout.includes(content.trim()))
    throw atFault(
      'client',
      isStreamed ? 'READ-5' : 'READ-13',
      'The program printed another text than the server sent.',
      shown,
    )
  if (calls.length > 0 || reasoning !== '')
    throw notShown('A program that prints plain text shows neither calls nor reasoning.', shown)
  return true
}

const COUNTS = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const
const hasCounts = (usage: unknown): boolean => COUNTS.every((name) => typeof at(usage, name) === 'number')
const hasSameCounts = (one: unknown, other: unknown): boolean =>
  hasCounts(other) && COUNTS.every((name) => at(one, name) === at(other, name))

/** The next turn goes back with the calls, their results and the reasoning that were received. Throws `UseEnd`. */
export function verifyNextTurn(
  { requested }: Use,
  first: SentAnswer | undefined,
  next: RecordedExchange,
): void {
  const [turn] = requested.turns ?? []
  if (turn === undefined || first === undefined) return
  const messages = listAt(requestJson(next.request), 'messages')
  const { calls, reasoning, reasoningIn } = first
  const results = messages.filter((message) => at(message, 'role') === 'tool')
  if (!calls.every(({ id }) => results.some((result) => at(result, 'tool_call_id') === id)))
    throw atFault('client', 'CALL-6', 'The next request lacks the result of a call, by its id.', next)
  const isBack = messages.some(
    (message) => at(message, 'role') === 'assistant' && reasoningOf(message) === reasoning,
  )
  if (!isBack && typeof turn === 'string') {
    const text = `The next request lacks the reasoning, which the server sent as \`${reasoningIn}\`.`
    throw atFault('client', 'CALL-6', text, next)
  }
}

export const isStream = ({ request }: RecordedExchange): boolean =>
  at(requestJson(request), 'stream') === true
