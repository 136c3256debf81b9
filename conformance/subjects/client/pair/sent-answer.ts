// The answer in an exchange as a reader makes it, plain or streamed: what a program should have got.
import { at, listAt } from '../../../../harness/json-value.ts'
import { type Exchange, isCut } from '../../../../harness/http/exchange.ts'
import { type PrintedCall, readCall } from '../../../../harness/printed-answer.ts'
import { readAnswer } from '../../../exchanges/read-answer.ts'
import type { RecordedExchange } from '../../../exchanges/recorded-exchange.ts'

interface SentCall extends PrintedCall {
  readonly id: unknown
}

export interface SentAnswer {
  readonly content: string
  readonly calls: readonly SentCall[]
  readonly finishReason: unknown
  /** The thoughts of the model, under either name; empty if there are none. */
  readonly reasoning: string
  /** The name of that member; undefined if there is none. */
  readonly reasoningIn: string | undefined
  readonly usage: unknown
}

/** The answer of an exchange; undefined if it has none that is whole and can be read. */
export function sentAnswer({ response, ...rest }: RecordedExchange): SentAnswer | undefined {
  if (response === null) return undefined
  const exchange: Exchange = { ...rest, response }
  if (response.status !== 200 || isCut(exchange)) return undefined
  const answer = readAnswer(exchange)
  if (answer.kind === 'completion') {
    const [choice] = listAt(answer.body, 'choices')
    const message = at(choice, 'message')
    return {
      content: textOf(at(message, 'content')),
      calls: listAt(message, 'tool_calls').map((call) => withId(call, at(call, 'id'))),
      finishReason: at(choice, 'finish_reason'),
      reasoning: reasoningOf(message),
      reasoningIn: reasoningMember(message),
      usage: at(answer.body, 'usage'),
    }
  }
  if (answer.kind === 'unreadable' || answer.stream.errors.length > 0) return undefined
  const [choice] = answer.stream.choices
  const deltas = choice?.deltas ?? []
  return {
    content: choice?.content ?? '',
    calls: (choice?.toolCalls ?? []).map((call) => withId(call, call.id)),
    finishReason: choice?.finishReasons.at(-1),
    reasoning: deltas.map(reasoningOf).join(''),
    reasoningIn: deltas.map(reasoningMember).find((name) => name !== undefined),
    usage: answer.stream.usage,
  }
}

const withId = (call: unknown, id: unknown) => Object.assign(readCall(call), { id })

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The name of the member that has the thoughts of a message or of a delta. */
const reasoningMember = (message: unknown): string | undefined =>
  ['reasoning_content', 'reasoning'].find((name) => textOf(at(message, name)) !== '')

/** The thoughts of a message or of a delta. */
export const reasoningOf = (message: unknown): string =>
  textOf(at(message, reasoningMember(message) ?? 'reasoning'))
