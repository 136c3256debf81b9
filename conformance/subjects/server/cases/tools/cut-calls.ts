// A call that the bound of its request cuts ends with `length`, plain and streamed (WIRE-7).
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { TOKEN_BOUNDS } from '../../../../contract/target.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import type { Case } from '../../case.ts'
import { askedOf, boundOf, isWholeAnswer, mayBeCut, usageOf } from '../requests/asked.ts'
import { isSuccess, messagesOf } from '../requests/chat-calls.ts'
import { choicesIn, eitherWay } from '../streaming/streamed-answers.ts'
import { type Call, LOOK_UP, TWO_CALLS, argumentsOf, callsOf } from './tool-requests.ts'

/** Tokens of an answer: fewer than a call has, and more than none of its arguments. */
const FEW_TOKENS = [3, 8] as const

/** A call whose arguments are JSON ended by itself, also if they are not an object, which TOOL-1 judges. */
const isCall = (call: Pick<Call, 'arguments'>): boolean => argumentsOf(call) !== undefined

/** The choices of which a call is not whole, or has not even begun. */
const cutChoices = (exchange: Exchange) =>
  choicesIn(exchange).filter(({ calls, content }) =>
    calls.length > 0 ? !calls.every(isCall) : (content ?? '') === '',
  )

/** A service ends a call that the bound cut as every other answer that it cuts. */
const endsWithLength: Verifier = (exchange) => {
  const odd = cutChoices(exchange).find(({ finishReason }) =>
    ['tool_calls', 'stop'].includes(String(finishReason)),
  )
  if (odd === undefined) return undefined
  return {
    expected: `finish_reason "length" of a call that a bound of ${boundOf(exchange)} tokens cuts`,
    actual: `${show(odd.finishReason)} beside the arguments ${show(odd.calls.at(-1)?.arguments)}`,
  }
}

export const cutCallCases: readonly Case[] = TOKEN_BOUNDS.flatMap((field) =>
  eitherWay(
    `tools.cut-by-${field.replaceAll('_', '-')}`,
    'WIRE-7',
    `the finish reason of a call that \`${field}\` cuts`,
  ).run(async (t, way) => {
    for (const needed of ['tools', 'tool_choice', field]) await t.target.requireField(needed)
    const usage = way.streamed && (await t.target.supports('stream_options'))
    const options = usage ? { stream_options: { include_usage: true } } : {}
    let isJudged = false
    for (const tokens of FEW_TOKENS) {
      const request = {
        tools: [LOOK_UP],
        tool_choice: 'required',
        [field]: tokens,
        ...way.members,
        ...options,
      }
      const exchange = await t.chat({ messages: messagesOf(TWO_CALLS), ...request })
      // Some services refuse a call that cannot be finished.
      if (!isSuccess(exchange) || cutChoices(exchange).length === 0 || !mayBeCut(exchange)) continue
      isJudged = true
      t.expect(exchange, endsWithLength)
    }
    if (!isJudged) t.notApplicable('no call was cut')
  }),
)

export const cutCallObservers: readonly Observer[] = [
  observe('tools.every-cut-call', 'WIRE-7', '`length` at the end of every call that its bound cut')
    .on(
      (exchange) =>
        Array.isArray(askedOf(exchange)?.['tools']) &&
        isWholeAnswer(exchange) &&
        callsOf(exchange).length > 0 &&
        typeof at(usageOf(exchange), 'completion_tokens') === 'number' &&
        mayBeCut(exchange) &&
        cutChoices(exchange).length > 0,
    )
    .verify(endsWithLength),
]
