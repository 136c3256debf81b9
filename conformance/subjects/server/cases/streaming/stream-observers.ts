// Verifies every stream of a run, cut or whole, with calls or without, in each of its choices (STREAM-1 to 10).
import { readStream } from '../../../../../harness/http/event-stream.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { at, isRecord, show } from '../../../../../harness/json-value.ts'
import { createdMismatch } from '../../../../../harness/verify/verify-completion.ts'
import { type Verifier, completeAnswer, showBody } from '../../../../../harness/verify/verify.ts'
import { errorTypes } from '../../../../../spec/protocol/error.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import {
  askedOf,
  choicesAsked,
  isStreamed,
  isAnswerable,
  isToStream,
  ofValidRequests,
  readable,
  failureOf,
} from '../requests/asked.ts'
import { entriesByChoice } from './streamed-answers.ts'
import * as chunks from './chunks.ts'
import { KNOWN_EARLY, plainError } from './stream-errors.ts'
import * as framing from './framing.ts'

/** A stream with chunks and without an error, whole or cut. STREAM-6 judges a stream that is not UTF-8. */
function hasChunks(exchange: Exchange): boolean {
  if (!isStreamed(exchange)) return false
  const stream = readStream(exchange)
  return stream.chunks.length > 0 && stream.wellFormed && failureOf(stream) === undefined
}

/** Such a stream that is whole as HTTP frames it. */
function isWhole(exchange: Exchange): boolean {
  const { end } = exchange.response
  return hasChunks(exchange) && (end === 'complete' || end === 'left-open')
}

/** The deltas can be assigned to their choices; STREAM-8 judges those that cannot. */
function hasChoices(exchange: Exchange): boolean {
  return hasChunks(exchange) && entriesByChoice(readStream(exchange)).size === choicesAsked(exchange)
}

/**
 * A stream with several choices, be it that all have one index. WIRE-6 judges a target that ignores `n`, and
 * `stream.every-choice-complete` compares with the plain answer.
 */
function hasSeveral(exchange: Exchange): boolean {
  const { choices } = readStream(exchange)
  return (
    entriesByChoice(readStream(exchange)).size > 1 ||
    choices.some(({ finishReasons }) => finishReasons.length > 1)
  )
}

/** The types of the errors that a service knows before the first token. */
const EARLY_TYPES: ReadonlySet<unknown> = new Set(
  Object.entries(errorTypes)
    .filter(([status]) => KNOWN_EARLY.has(Number(status)))
    .map(([, type]) => type),
)

/** A stream that is nothing but an error which is the status of a plain answer. STREAM-13 judges invalid requests. */
function isEarlyError(exchange: Exchange): boolean {
  if (!isStreamed(exchange) || !isAnswerable(exchange)) return false
  const { chunks, errors } = readStream(exchange)
  const error = at(errors[0], 'error')
  return (
    chunks.length === 0 && (EARLY_TYPES.has(at(error, 'type')) || KNOWN_EARLY.has(Number(at(error, 'code'))))
  )
}

const errorStatusDue: Verifier = (exchange) =>
  isEarlyError(exchange)
    ? { expected: 'a plain JSON answer with the status of the error', actual: showBody(exchange) }
    : undefined

const asksUsage = (exchange: Exchange) => at(askedOf(exchange), 'stream_options', 'include_usage') === true

/** The request leaves `include_usage` out, or sets it to false; another value is invalid, and CHAT-5 judges its answer. */
function asksNoUsage(exchange: Exchange): boolean {
  const options = askedOf(exchange)?.['stream_options'] ?? {}
  return isRecord(options) && (at(options, 'include_usage') ?? false) === false
}

const headTypes: Verifier = (exchange) => {
  const [first] = readStream(exchange).chunks
  const [id, model, created] = [at(first, 'id'), at(first, 'model'), at(first, 'created')]
  if (typeof id === 'string' && id !== '' && typeof model === 'string' && Number.isInteger(created))
    return undefined
  return { expected: 'id and model, texts, and created, an integer, on a chunk', actual: show(first) }
}

const streamCreated: Verifier = (exchange) =>
  createdMismatch(readStream(exchange).chunks[0], exchange.startedAtMs ?? Date.now())

const deltaTypes: Verifier = (exchange) => {
  for (const entries of entriesByChoice(readStream(exchange)).values())
    for (const { choice } of entries) {
      const [delta, index] = [at(choice, 'delta'), at(choice, 'index')]
      const texts = [at(delta, 'content') ?? null, at(delta, 'refusal') ?? null]
      const right =
        isRecord(delta) &&
        Number.isInteger(index) &&
        texts.every((text) => text === null || typeof text === 'string')
      if (!right)
        return { expected: 'an index, and a delta whose content is text or null', actual: show(choice) }
    }
  return undefined
}

/** Every requested choice came. STREAM-8 judges choices that cannot be distinguished: each has a finish. */
const asManyChoices: Verifier = (exchange) => {
  const byChoice = [...entriesByChoice(readStream(exchange)).values()]
  const ends = byChoice.flat().filter(({ choice }) => typeof at(choice, 'finish_reason') === 'string')
  const [wanted, came] = [choicesAsked(exchange), Math.max(byChoice.length, ends.length)]
  return came >= wanted || came === 0 ? undefined : { expected: `${wanted} choices`, actual: String(came) }
}

const everyChoice: Verifier = (exchange, target) =>
  chunks.everyChoiceComplete(choicesAsked(exchange))(exchange, target)

const ofAnswers: readonly Observer[] = [
  observe('stream.every-type', 'STREAM-1', 'a stream wherever one is requested, and its content type')
    .with({ includesCut: true })
    .on(isToStream)
    .verify(readable, framing.eventStreamType, framing.wholeMessage),
  observe('stream.every-record', 'STREAM-1', 'the records of every stream that came to its end')
    .on(isWhole)
    .verify(framing.jsonRecords, framing.lastRecordEnded),
  observe('stream.every-end', 'STREAM-2', '[DONE] at the end of every stream')
    .with({ includesCut: true })
    .on((exchange) => isWhole(exchange) || (hasChunks(exchange) && framing.isDone(exchange)))
    .verify(framing.doneOnce, framing.nothingAfterDone, completeAnswer),
  observe('stream.every-body-end', 'STREAM-2', 'the end of the body of every stream, after [DONE]')
    .on((exchange) => exchange.response.end === 'left-open' && isWhole(exchange))
    .verify(framing.bodyEndsInTime),
  observe('stream.every-break', 'STREAM-2', 'no stream that breaks off each time')
    .with({ includesCut: true })
    .on((exchange) => exchange.response.end === 'broken' && hasChunks(exchange) && !framing.isDone(exchange))
    .compare(framing.noBreakTwice),
  observe('stream.every-head', 'STREAM-3', 'the head of every chunk')
    .on(hasChunks)
    .verify(
      chunks.chunkObject,
      ...(['id', 'created', 'model'] as const).map(chunks.sameOnEveryChunk),
      headTypes,
    ),
  observe('stream.every-created', 'WIRE-1', '`created` of every stream, in seconds')
    .on((exchange) => hasChunks(exchange) && Number.isInteger(at(readStream(exchange).chunks[0], 'created')))
    .verify(streamCreated),
  observe('stream.every-role', 'STREAM-4', 'the role of every choice')
    .on(hasChoices)
    .verify(chunks.roleFirst, chunks.roleOnce),
  observe('stream.every-finish-reason', 'STREAM-5', 'every `finish_reason`, and the deltas after it')
    .on(hasChoices)
    .verify(chunks.finishReasonKnown, chunks.nothingAfterFinish),
  observe(
    'stream.every-finish',
    'STREAM-5',
    'one `finish_reason` for each choice of a stream that came to its end',
  )
    .on((exchange) => isWhole(exchange) && hasChoices(exchange))
    .verify(chunks.finishOnce),
  observe('stream.every-usage-chunk', 'STREAM-7', 'the usage chunk of every stream that requests one')
    .on((exchange) => isWhole(exchange) && asksUsage(exchange))
    .verify(framing.usageChunkLast, framing.noUsageElsewhere),
  observe('stream.every-no-usage-chunk', 'STREAM-7', 'no usage chunk on any stream that does not request one')
    .on((exchange) => hasChunks(exchange) && asksNoUsage(exchange))
    .verify(framing.noUsageChunk),
  observe('stream.every-choice', 'STREAM-8', 'every choice of a stream with several of them')
    .on((exchange) => isWhole(exchange) && choicesAsked(exchange) > 1 && hasSeveral(exchange))
    .verify(everyChoice, deltaTypes),
  observe('stream.every-n', 'WIRE-6', 'as many choices as requested in every stream')
    .on((exchange) => isWhole(exchange) && choicesAsked(exchange) > 1)
    .verify(asManyChoices),
  observe('stream.every-delta', 'STREAM-6', 'the text of every delta, which a plain answer has as text')
    .on((exchange) => hasChunks(exchange) && choicesAsked(exchange) === 1)
    .verify(deltaTypes),
  observe('stream.every-event', 'STREAM-9', 'every event of every stream')
    .on(isWhole)
    .verify(framing.noEmptyEvents, framing.noErrorMember),
]

export const streamObservers: readonly Observer[] = [
  ...ofAnswers.map(ofValidRequests),
  observe('stream.every-refusal', 'STREAM-10', 'every refusal of a streamed request')
    .on(
      (exchange) =>
        isEarlyError(exchange) ||
        (askedOf(exchange)?.['stream'] === true && KNOWN_EARLY.has(exchange.response.status)),
    )
    .verify(errorStatusDue, plainError),
]
