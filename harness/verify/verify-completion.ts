// Verifiers of a completion, each for one part of a row, so that a fault fails only the row that forbids it.
import { json } from '../http/exchange.ts'
import { type BodyPredicate, type Mismatch, type Verifier, bodyMember, isString, jsonBody } from './verify.ts'
import { at, isRecord, listAt, show } from '../json-value.ts'

/** Every reason of the format for the end of a choice (WIRE-2, STREAM-5). */
export const FINISH_REASONS: readonly unknown[] = [
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'function_call',
]

/** How far `created` may be from now (WIRE-1), in seconds. */
const CREATED_TOLERANCE_SECONDS = 24 * 60 * 60

/** The choices of a plain answer; may be empty. */
export function choicesOf(body: unknown): readonly unknown[] {
  return listAt(body, 'choices')
}

/** `choices` has an entry at least, each with `message.content` a string or null (CHAT-1). */
export const choices: Verifier = jsonBody(
  bodyMember(
    'choices',
    'an array with at least one entry',
    (value) => Array.isArray(value) && value.length > 0,
  ),
  each((choice, path) => {
    const message = at(choice, 'message')
    if (!isRecord(message)) return { expected: `${path}.message, an object`, actual: show(message) }
    const { content } = message
    if (content === null || typeof content === 'string') return undefined
    return { expected: `${path}.message.content, a string or null`, actual: show(content) }
  }),
)

/** `id` is a string that is not empty (WIRE-1). */
export const completionId: Verifier = jsonBody(
  bodyMember('id', 'a non-empty string', (value) => isString(value) && value !== ''),
)

/** `object` is `chat.completion` (WIRE-1). */
export const completionObject: Verifier = jsonBody(
  bodyMember('object', '"chat.completion"', (value) => value === 'chat.completion'),
)

/** `created` is in whole seconds and within a day of the request (WIRE-1). */
export const completionCreated: Verifier = (exchange, target) =>
  createdNear(exchange.startedAtMs ?? Date.now())(exchange, target)

/** Verifies `created` against another time than now, in milliseconds. */
export function createdNear(now: number): Verifier {
  return jsonBody((body) => createdMismatch(body, now))
}

/** Returns the mismatch of `created` of a completion or a chunk with a time, in milliseconds. */
export function createdMismatch(body: unknown, now: number): Mismatch | undefined {
  const isNear = (value: unknown): boolean =>
    Number.isInteger(value) && Math.abs(Number(value) - now / 1000) <= CREATED_TOLERANCE_SECONDS
  return bodyMember('created', 'Unix seconds within a day of the request', isNear)(body)
}

/** `model` is a string (WIRE-1). */
export const completionModel: Verifier = jsonBody(bodyMember('model', 'a string', isString))

/** `choices` has this many entries (WIRE-6). */
export function choiceCount(n: number): Verifier {
  return (exchange) => {
    const { length } = choicesOf(json(exchange))
    return length === n ? undefined : { expected: `${n} choices`, actual: String(length) }
  }
}

/** `usage` is an object (WIRE-22). */
export const usagePresent: Verifier = jsonBody(bodyMember('usage', 'an object', isRecord))

/** Each choice has its `index`, from 0 to n−1, each once (WIRE-2). */
export const choiceIndexes: Verifier = jsonBody((body) => {
  const indexes = choicesOf(body).map((choice) => at(choice, 'index'))
  const whole = indexes.every((_, wanted) => indexes.includes(wanted))
  return whole ? undefined : { expected: `the indexes 0 to ${indexes.length - 1}`, actual: show(indexes) }
})

/** Each message has the role `assistant` (WIRE-2). */
export const choiceRoles: Verifier = jsonBody(
  each((choice, path) => {
    const role = at(choice, 'message', 'role')
    if (role === 'assistant') return undefined
    return { expected: `${path}.message.role "assistant"`, actual: show(role) }
  }),
)

/** Each choice has a `finish_reason` of the closed set (WIRE-2). */
export const finishReasons: Verifier = jsonBody(
  each((choice, path) => {
    const reason = at(choice, 'finish_reason')
    if (FINISH_REASONS.includes(reason)) return undefined
    return {
      expected: `${path}.finish_reason ${FINISH_REASONS.map(show).join(' or ')}`,
      actual: show(reason),
    }
  }),
)

/** `logprobs` of each choice is an object, null or absent (WIRE-2). */
export const choiceLogprobs: Verifier = jsonBody(
  each((choice, path) => {
    const value = at(choice, 'logprobs')
    if (value === undefined || value === null || isRecord(value)) return undefined
    return { expected: `${path}.logprobs, an object or null`, actual: show(value) }
  }),
)

/** `usage`, if present, has three whole counts, of which the last is the sum, and whole details (WIRE-3). */
export const usageCounts: Verifier = jsonBody((body) => usageMismatch(at(body, 'usage')))

/** Returns the mismatch of a usage record, wherever it is; undefined and null hold. */
export function usageMismatch(usage: unknown): Mismatch | undefined {
  if (usage === undefined || usage === null) return undefined
  const counts = ['prompt_tokens', 'completion_tokens', 'total_tokens'].map((name) => at(usage, name))
  const [prompt, completion, total] = counts
  if (!counts.every(isCount)) return { expected: 'three whole counts in usage', actual: show(usage) }
  if (Number(prompt) + Number(completion) !== Number(total))
    return { expected: 'usage.total_tokens, the sum of the other two', actual: show(usage) }
  return (
    detailsMismatch(usage, 'prompt_tokens_details') ?? detailsMismatch(usage, 'completion_tokens_details')
  )
}

/** Returns the mismatch of the details of a usage: each count that is present is whole and not negative. */
function detailsMismatch(usage: unknown, name: string): Mismatch | undefined {
  const details = at(usage, name) ?? {}
  if (!isRecord(details)) return { expected: `usage.${name}, an object or null`, actual: show(details) }
  const odd = Object.entries(details).find(
    ([count, value]) => count.endsWith('_tokens') && value !== null && !isCount(value),
  )
  if (odd === undefined) return undefined
  return { expected: `usage.${name}.${odd[0]}, an integer from 0`, actual: show(odd[1]) }
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0
}

/**
 * The text of choice `index`; undefined if it has none. A single choice without an index counts as the first, so that
 * its text is judged although WIRE-2 fails.
 */
export function contentOf(exchange: Parameters<Verifier>[0], index = 0): string | undefined {
  const choices = choicesOf(json(exchange))
  const [only] = choices
  const isBare = choices.length === 1 && at(only, 'index') === undefined
  const choice = isBare && index === 0 ? only : choices.find((candidate) => at(candidate, 'index') === index)
  const content = at(choice, 'message', 'content')
  return typeof content === 'string' ? content : undefined
}

function each(judge: (choice: unknown, path: string) => Mismatch | undefined): BodyPredicate {
  return (body) => {
    for (const [position, choice] of choicesOf(body).entries()) {
      const mismatch = judge(choice, `choices[${position}]`)
      if (mismatch !== undefined) return mismatch
    }
    return undefined
  }
}
