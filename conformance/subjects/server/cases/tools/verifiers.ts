// Verifiers of calls, plain and streamed.
import { isDeepStrictEqual } from 'node:util'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { type Mismatch, type Verifier, showBody } from '../../../../../harness/verify/verify.ts'
import { at, isRecord, show } from '../../../../../harness/json-value.ts'
import { firstChoice } from '../streaming/streamed-answers.ts'
import {
  type Call,
  type CallingChoice,
  argumentsOf,
  callsOf,
  choicesAndCalls,
  finishedCalls,
  fragmentsIn,
} from './tool-requests.ts'

const callsOfAll = (exchange: Exchange): readonly Call[] =>
  finishedCalls(exchange).flatMap(({ calls }) => calls)

function eachCall(expected: string, holds: (call: Call) => boolean, shown: keyof Call): Verifier {
  return (exchange) => {
    const odd = callsOfAll(exchange).find((call) => !holds(call))
    return odd === undefined ? undefined : { expected: `${expected} of every call`, actual: show(odd[shown]) }
  }
}

export const callIds: Verifier = (exchange) => {
  const ids = callsOfAll(exchange).map(({ id }) => id)
  const whole = ids.every((id) => typeof id === 'string' && id !== '') && new Set(ids).size === ids.length
  return whole ? undefined : { expected: 'an id of every call, each another', actual: show(ids) }
}

/** `type` is `function`. A streamed call says so in its first fragment. */
export const callTypes: Verifier = eachCall('type "function"', ({ type }) => type === 'function', 'type')

export function callNames(offered: readonly unknown[]): Verifier {
  return eachCall(`a name among ${show(offered)}`, ({ name }) => offered.includes(name), 'name')
}

export const argumentTexts: Verifier = eachCall(
  'arguments, a string,',
  (call) => typeof call.arguments === 'string',
  'arguments',
)

export const argumentJson: Verifier = eachCall(
  'arguments that are a JSON object',
  (call) => isRecord(argumentsOf(call)),
  'arguments',
)

export const contentBesideCalls: Verifier = (exchange) => {
  const odd = withCalls(exchange).find(({ content }) => content !== null && typeof content !== 'string')
  return odd && { expected: 'message.content, a string or null', actual: show(odd.content) }
}

const withCalls = (exchange: Exchange): readonly CallingChoice[] =>
  finishedCalls(exchange).filter(({ calls }) => calls.length > 0)

export function finishIs(...reasons: readonly string[]): Verifier {
  return (exchange) => {
    // A later choice that ends without a reason has not ended: STREAM-5 and STREAM-8 judge that.
    const ended = withCalls(exchange).filter(({ index, finishReason }) => index === 0 || finishReason != null)
    const odd = ended.find(({ finishReason }) => !reasons.includes(String(finishReason)))
    if (odd === undefined) return undefined
    return { expected: `finish_reason ${reasons.map(show).join(' or ')}`, actual: show(odd.finishReason) }
  }
}

function callCount(expected: string, holds: (count: number) => boolean): Verifier {
  return (exchange) => {
    const choices = finishedCalls(exchange)
    if (choices.length === 0) return holds(0) ? undefined : { expected, actual: 'no choice' }
    const odd = choices.find(({ calls }) => !holds(calls.length))
    if (odd === undefined) return undefined
    const place = choices.length > 1 ? ` of choice ${show(odd.index)}` : ''
    return { expected, actual: `${odd.calls.length} calls${place}` }
  }
}

export const noCall = callCount('no call', (count) => count === 0)
export const atMostOne = callCount('at most one call', (count) => count <= 1)
export const atLeastOne = callCount('at least one call', (count) => count > 0)

/**
 * Fragments come in lists. The first fragment of a call has all members (the arguments may be absent), later ones have
 * the index and arguments, and may repeat the type;
 * indexes count from 0.
 */
export const fragmentForms: Verifier = (exchange) => fragmentMismatch(exchange)

export function fragmentMismatch(exchange: Exchange): Mismatch | undefined {
  const lists = readStream(exchange).choices.flatMap(({ deltas }) =>
    deltas.map((delta) => at(delta, 'tool_calls')),
  )
  const odd = lists.find((list) => (list ?? null) !== null && !Array.isArray(list))
  if (odd !== undefined) return { expected: 'tool_calls of a delta, a list', actual: show(odd) }
  for (const { deltas } of readStream(exchange).choices) {
    const mismatch = fragmentsOfChoice(fragmentsIn(deltas))
    if (mismatch !== undefined) return mismatch
  }
  return undefined
}

function fragmentsOfChoice(fragments: readonly unknown[]): Mismatch | undefined {
  let calls = 0
  for (const fragment of fragments) {
    const index = at(fragment, 'index')
    const known = typeof index === 'number' && index >= 0 && index < calls
    const mismatch = known ? laterFragment(fragment) : firstFragment(fragment, calls)
    if (mismatch !== undefined) return mismatch
    if (!known) calls += 1
  }
  return undefined
}

function firstFragment(fragment: unknown, index: number): Mismatch | undefined {
  const described = at(fragment, 'function')
  const whole =
    at(fragment, 'index') === index &&
    typeof at(fragment, 'id') === 'string' &&
    at(fragment, 'type') === 'function' &&
    typeof at(described, 'name') === 'string' &&
    ['string', 'undefined'].includes(typeof at(described, 'arguments'))
  if (whole) return undefined
  const expected = `a first fragment {"index":${index},"id","type":"function","function":{"name","arguments"}}`
  return { expected, actual: show(fragment) }
}

/** A null member means the same as an absent one. The same type may be repeated. */
function laterFragment(fragment: unknown): Mismatch | undefined {
  const repeated = [at(fragment, 'id'), at(fragment, 'function', 'name')]
  const continues =
    typeof at(fragment, 'function', 'arguments') === 'string' &&
    [undefined, null, 'function'].some((type) => type === at(fragment, 'type'))
  if (continues && repeated.every((value) => (value ?? null) === null)) return undefined
  return { expected: 'a later fragment {"index","function":{"arguments"}}', actual: show(fragment) }
}

/**
 * The calls of each choice are those of a plain answer. Arguments are JSON: a server may write the same value with other
 * white space.
 */
export function sameCallsAs(plain: Exchange): Verifier {
  const read = (calls: readonly Call[]) => calls.map((call) => [call.name, call.arguments])
  const values = (calls: readonly Call[]) =>
    calls.map((call) => [call.name, argumentsOf(call) ?? call.arguments])
  return (exchange) => {
    const streamed = choicesAndCalls(exchange)
    for (const [position, { index, calls }] of choicesAndCalls(plain).entries()) {
      const got = (streamed.find((choice) => choice.index === index) ?? streamed[position])?.calls ?? []
      if (isDeepStrictEqual(values(calls), values(got))) continue
      const place = streamed.length > 1 ? ` of choice ${show(index)}` : ''
      return { expected: `${show(read(calls))}${place}, as in the plain answer`, actual: show(read(got)) }
    }
    return undefined
  }
}

/** The answer has a message of the assistant: text, or another call. */
export const finalAnswer: Verifier = (exchange) => {
  if (typeof firstChoice(exchange).content === 'string' || callsOf(exchange).length > 0) return undefined
  return { expected: 'an answer to the results of the calls', actual: showBody(exchange) }
}
