// Verifiers of calls, plain and streamed.
import { isDeepStrictEqual } from 'node:util'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { type Mismatch, type Verifier, showBody } from '../../../../../harness/verify/verify.ts'
import { at, isRecord, show } from '../../../../../harness/json-value.ts'
import { firstChoice } from '../streaming/streamed-answers.ts'
import { type Call, argumentsOf, callsOf, fragmentsOf } from './tool-requests.ts'

function eachCall(expected: string, holds: (call: Call) => boolean, shown: keyof Call): Verifier {
  return (exchange) => {
    const odd = callsOf(exchange).find((call) => !holds(call))
    return odd === undefined ? undefined : { expected: `${expected} of every call`, actual: show(odd[shown]) }
  }
}

export const callIds: Verifier = (exchange) => {
  const ids = callsOf(exchange).map(({ id }) => id)
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
  const { content } = firstChoice(exchange)
  if (content === null || typeof content === 'string') return undefined
  return { expected: 'message.content, a string or null', actual: show(content) }
}

export function finishIs(...reasons: readonly string[]): Verifier {
  return (exchange) => {
    const { finishReason } = firstChoice(exchange)
    if (reasons.some((allowed) => allowed === finishReason)) return undefined
    return { expected: `finish_reason ${reasons.map(show).join(' or ')}`, actual: show(finishReason) }
  }
}

function callCount(expected: string, holds: (count: number) => boolean): Verifier {
  return (exchange) => {
    const { length } = callsOf(exchange)
    return holds(length) ? undefined : { expected, actual: `${length} calls` }
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
export const fragmentForms: Verifier = (exchange) => {
  const lists = readStream(exchange).choices.flatMap(({ deltas }) =>
    deltas.map((delta) => at(delta, 'tool_calls')),
  )
  const odd = lists.find((list) => (list ?? null) !== null && !Array.isArray(list))
  if (odd !== undefined) return { expected: 'tool_calls of a delta, a list', actual: show(odd) }
  let calls = 0
  for (const fragment of fragmentsOf(exchange)) {
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

/** The calls are those of a plain answer. Arguments are JSON: a server may write the same value with other white space. */
export function sameCallsAs(plain: readonly Call[]): Verifier {
  const read = (calls: readonly Call[]) => calls.map((call) => [call.name, call.arguments])
  const values = (calls: readonly Call[]) =>
    calls.map((call) => [call.name, argumentsOf(call) ?? call.arguments])
  return (exchange) => {
    const calls = callsOf(exchange)
    if (isDeepStrictEqual(values(plain), values(calls))) return undefined
    return { expected: `${show(read(plain))}, as in the plain answer`, actual: show(read(calls)) }
  }
}

/** The answer has a message of the assistant: text, or another call. */
export const finalAnswer: Verifier = (exchange) => {
  if (typeof firstChoice(exchange).content === 'string' || callsOf(exchange).length > 0) return undefined
  return { expected: 'an answer to the results of the calls', actual: showBody(exchange) }
}
