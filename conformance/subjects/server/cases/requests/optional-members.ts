// The members that an answer may leave out have their types if they are there, in messages and deltas, completions and chunks
// (WIRE-2), and the details of `usage` are parts of its counts (WIRE-3).
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { at, isRecord, listAt, show } from '../../../../../harness/json-value.ts'
import { isString } from '../../../../../harness/verify/verify.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { isCompletion, isStreamed, readsAsStream, usageOf } from './asked.ts'

type Types = Readonly<Record<string, readonly [expected: string, holds: (value: unknown) => boolean]>>

const TEXT = ['a string or null', isString] as const
const OBJECT = ['an object or null', isRecord] as const

/** Null says as little as leaving the member out. */
const ofMessage: Types = {
  refusal: TEXT,
  annotations: ['a list', Array.isArray],
  audio: OBJECT,
  function_call: OBJECT,
}

const ofAnswer: Types = { system_fingerprint: TEXT, service_tier: TEXT }

function mismatchIn(holder: unknown, types: Types) {
  for (const [name, [expected, holds]] of Object.entries(types)) {
    const value = at(holder, name) ?? null
    if (value !== null && !holds(value)) return { expected: `${name}, ${expected}`, actual: show(value) }
  }
  return undefined
}

/** The completion, or the chunks of a stream. */
const bodiesOf = (exchange: Exchange): readonly unknown[] =>
  readsAsStream(exchange) ? readStream(exchange).chunks : [json(exchange)]

const optionalMembers: Verifier = (exchange) => {
  for (const body of bodiesOf(exchange)) {
    const holders = listAt(body, 'choices').flatMap((choice) => [at(choice, 'message'), at(choice, 'delta')])
    const mismatches = holders.map((holder) => mismatchIn(holder, ofMessage))
    const mismatch = mismatchIn(body, ofAnswer) ?? mismatches.find((one) => one !== undefined)
    if (mismatch !== undefined) return mismatch
  }
  return undefined
}

/** The counts of details that are parts of another count. */
const PARTS = [
  ['prompt_tokens', 'prompt_tokens_details', 'cached_tokens'],
  ['prompt_tokens', 'prompt_tokens_details', 'audio_tokens'],
  ['completion_tokens', 'completion_tokens_details', 'reasoning_tokens'],
] as const

const detailsWithin: Verifier = (exchange) => {
  const usage = usageOf(exchange)
  for (const [whole, details, part] of PARTS) {
    const [most, count] = [at(usage, whole), at(usage, details, part)]
    if (typeof most === 'number' && typeof count === 'number' && count > most)
      return { expected: `${details}.${part} of at most ${most}, the ${whole}`, actual: String(count) }
  }
  return undefined
}

const isAnswer = (exchange: Exchange): boolean => isCompletion(exchange) || isStreamed(exchange)

export const memberObservers: readonly Observer[] = [
  observe('wire.every-optional-member', 'WIRE-2', 'the types of the members that every answer may leave out')
    .on(isAnswer)
    .verify(optionalMembers),
  observe('wire.every-usage-detail', 'WIRE-3', 'the details of every usage, at most its counts')
    .with({ level: 'SHOULD' })
    .on(
      (exchange) =>
        isAnswer(exchange) && PARTS.some(([, details]) => isRecord(at(usageOf(exchange), details))),
    )
    .verify(detailsWithin),
]
