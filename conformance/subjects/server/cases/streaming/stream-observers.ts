// Verifies every stream of a run, cut or whole, with calls or without, in each of its choices (STREAM-1 to 10).
import { readStream } from '../../../../../harness/http/event-stream.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { at, isRecord, show } from '../../../../../harness/json-value.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { askedOf, choicesAsked, isStreamed, isToStream, readable } from '../requests/asked.ts'
import { entriesByChoice, failureOf } from './streamed-answers.ts'
import * as chunks from './chunks.ts'
import { plainError } from './stream-errors.ts'
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

const everyChoice: Verifier = (exchange, target) =>
  chunks.everyChoiceComplete(choicesAsked(exchange))(exchange, target)

export const streamObservers: readonly Observer[] = [
  observe('stream.every-type', 'STREAM-1', 'a stream wherever one is requested, and its content type')
    .on(isToStream)
    .verify(readable, framing.eventStreamType),
  observe('stream.every-record', 'STREAM-1', 'the records of every stream that came to its end')
    .on(isWhole)
    .verify(framing.jsonRecords, framing.lastRecordEnded),
  observe('stream.every-end', 'STREAM-2', '[DONE] at the end of every stream')
    .on(isWhole)
    .verify(framing.doneOnce, framing.nothingAfterDone),
  observe('stream.every-head', 'STREAM-3', 'the head of every chunk')
    .on(hasChunks)
    .verify(
      chunks.chunkObject,
      ...(['id', 'created', 'model'] as const).map(chunks.sameOnEveryChunk),
      headTypes,
    ),
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
    // WIRE-6 judges a target that ignores `n`, and `stream.every-choice-complete` compares with the plain answer.
    .on(
      (exchange) =>
        isWhole(exchange) && choicesAsked(exchange) > 1 && entriesByChoice(readStream(exchange)).size > 1,
    )
    .verify(everyChoice, deltaTypes),
  observe('stream.every-delta', 'STREAM-6', 'the text of every delta, which a plain answer has as text')
    .on((exchange) => hasChunks(exchange) && choicesAsked(exchange) === 1)
    .verify(deltaTypes),
  observe('stream.every-event', 'STREAM-9', 'every event of every stream')
    .on(isWhole)
    .verify(framing.noEmptyEvents, framing.noErrorMember),
  observe('stream.every-refusal', 'STREAM-10', 'every refusal of a streamed request')
    .on(
      (exchange) =>
        askedOf(exchange)?.['stream'] === true && [400, 401, 404, 429].includes(exchange.response.status),
    )
    .verify(plainError),
]
