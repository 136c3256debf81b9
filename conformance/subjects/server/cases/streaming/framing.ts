// The frame of an event stream, byte by byte: records, their ends, `[DONE]` (STREAM-1, STREAM-2, STREAM-9), and the usage: one
// last chunk if it was requested, and none if not (STREAM-7).
import { DONE } from '../../../../../spec/protocol/sse.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { framingFault } from '../../../../../harness/http/framing.ts'
import { NOT_HTTP } from '../../../../../harness/http/send-once.ts'
import { type Exchange, headerValues, text } from '../../../../../harness/http/exchange.ts'
import { type Verifier, completeAnswer, showBody, statusOk } from '../../../../../harness/verify/verify.ts'
import { at, isRecord, parseJson, show } from '../../../../../harness/json-value.ts'
import { isSuccess, noted, postRaw, shortBody } from '../requests/chat-calls.ts'
import { requestStream, requireEnd, streamedAnswer, isUsageChunk, ownStream } from './streamed-answers.ts'
import { failureOf, isEventStream } from '../requests/asked.ts'

export const eventStreamType: Verifier = (exchange) => {
  if (isEventStream(exchange)) return undefined
  const [, type] = exchange.response.headers.find(([name]) => name.toLowerCase() === 'content-type') ?? []
  return { expected: 'content-type text/event-stream', actual: show(type) }
}

/** The blocks between blank lines, each as its lines, with the standard's three line ends. */
function blocks(exchange: Exchange): readonly (readonly string[])[] {
  const body = text(exchange) ?? new TextDecoder().decode(exchange.response.body)
  return body
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n\n+/)
    .map((block) => block.split('\n').filter((line) => line !== ''))
}

function fieldValues(lines: readonly string[], name: string): readonly string[] {
  const field = new RegExp(`^${name}(?:: ?|$)`)
  return lines.filter((line) => field.test(line)).map((line) => line.replace(field, ''))
}

/** Each record is one JSON object, or `[DONE]`, in UTF-8. Records without data are what STREAM-9 judges. */
export const jsonRecords: Verifier = (exchange) => {
  if (!readStream(exchange).wellFormed) return { expected: 'a body in UTF-8', actual: showBody(exchange) }
  const records = blocks(exchange)
    .map((lines) => fieldValues(lines, 'data').join('\n'))
    .filter((data) => data !== '')
  if (records.length === 0) return { expected: 'records with data', actual: showBody(exchange) }
  const odd = records.find((data) => data !== DONE && !isRecord(parseJson(data)))
  return odd === undefined ? undefined : { expected: 'one JSON object in each record', actual: show(odd) }
}

export const lastRecordEnded: Verifier = (exchange) => {
  const { rest } = readStream(exchange)
  if (!/^(data|event)\b/m.test(rest)) return undefined
  return { expected: 'a blank line behind the last record', actual: `the end behind ${show(rest)}` }
}

export const doneOnce: Verifier = (exchange) => {
  const { doneCount, events } = readStream(exchange)
  if (doneCount === 1) return undefined
  const last = `the last record ${show(events.at(-1)?.data)}`
  return { expected: 'one [DONE]', actual: doneCount === 0 ? `none, ${last}` : `${doneCount} of them` }
}

/** The longest time from `[DONE]` to the end of the body, in milliseconds. */
export const END_AFTER_DONE_MS = 5000

/** The body ends behind `[DONE]`: HTTP does not leave its end open, and the connection is not reset. */
export const bodyEnds: Verifier = (exchange, target) => {
  if (exchange.response.end !== 'left-open') return completeAnswer(exchange, target)
  const expected = `the end of the body within ${END_AFTER_DONE_MS / 1000} s of [DONE]`
  return { expected, actual: 'none: it stays open' }
}

/** The body of any stream of a run ends in time; one that was waited for less shows nothing. */
export const bodyEndsInTime: Verifier = (exchange, target) => {
  const { response, timings } = exchange
  const silentMs = timings.totalMs - (response.chunks.at(-1)?.atMs ?? 0)
  return silentMs < END_AFTER_DONE_MS ? undefined : bodyEnds(exchange, target)
}

/** No stream breaks off before its end twice: once happens on a healthy deployment. */
export function noBreakTwice(): Verifier {
  const broken = new Set<string>()
  return ({ request, response }) => {
    const key = Buffer.from(request.body ?? []).toString('base64')
    if (broken.has(key))
      return {
        expected: 'the end of the stream',
        actual: `it broke off after ${response.body.length} bytes, also when asked again`,
      }
    broken.add(key)
    return undefined
  }
}

/**
 * The HTTP message of a stream is whole: the connection does not close behind `[DONE]` before the end of the body, and the
 * parser of HTTP accepts all of it. STREAM-2 judges a reset.
 */
export const wholeMessage: Verifier = (exchange) => {
  const { end, broken, headers } = exchange.response
  const fault = framingFault(headers)
  if (fault !== undefined) return { expected: 'one framing of the HTTP message', actual: fault }
  const isRefused = broken?.startsWith(NOT_HTTP) ?? false
  if (end !== 'broken' || !(isRefused || (broken === undefined && isDone(exchange)))) return undefined
  const [length] = headerValues(headers, 'content-length')
  const expected = length === undefined ? 'a last chunk' : `the ${length} bytes that Content-Length announces`
  const bytes = exchange.response.body.length
  return { expected, actual: broken ?? `the end of the connection after ${bytes} bytes` }
}

/** Whether a stream has come to its `[DONE]`. */
export const isDone = (exchange: Exchange): boolean => readStream(exchange).doneCount > 0

/** Nothing but comments stands behind the first `[DONE]`. */
export const nothingAfterDone: Verifier = (exchange) => {
  const lines = blocks(exchange).flat()
  const done = lines.findIndex((line) => /^data: ?\[DONE\]$/.test(line))
  const behind = lines.slice(done + 1).filter((line) => !line.startsWith(':'))
  if (done === -1 || behind.length === 0) return undefined
  return { expected: 'nothing behind [DONE]', actual: show(behind[0]) }
}

/** No event comes without data: neither one that is only named nor one whose data is empty. */
export const noEmptyEvents: Verifier = (exchange) => {
  const empty = blocks(exchange).find((lines) => {
    const data = fieldValues(lines, 'data')
    return data.length > 0 ? data.join('') === '' : fieldValues(lines, 'event').length > 0
  })
  if (empty === undefined) return undefined
  return { expected: 'data in every event', actual: show(empty.join('\n')) }
}

/** No chunk has a member `error`, not even null. */
export const noErrorMember: Verifier = (exchange) => {
  const odd = readStream(exchange).chunks.find((chunk) => at(chunk, 'error') !== undefined)
  return odd === undefined ? undefined : { expected: 'no `error` on a good chunk', actual: show(odd) }
}

/** An answer that is an event stream, cut or not, but did not fail: what the end of a stream is judged on. */
async function eventStream(t: CaseContext): Promise<Exchange> {
  const exchange = await requestStream(t, {}, { openAfterDoneMs: END_AFTER_DONE_MS })
  if (!isSuccess(exchange) || !isEventStream(exchange))
    t.inconclusive('no event stream came, which STREAM-1 judges')
  const failure = failureOf(readStream(exchange))
  if (failure !== undefined) t.inconclusive(`the stream carried an error: ${show(failure)}`)
  return exchange
}

/** An answer of status 200 that was not cut: what records are judged on. */
async function wholeStream(t: CaseContext): Promise<Exchange> {
  const exchange = await requestStream(t)
  t.expect(exchange, statusOk)
  requireEnd(t, exchange)
  return exchange
}

/** A body in the layouts of other JSON writers: a service that looks for the text `"stream":true` misses its member. */
function layoutsOf(body: object): Readonly<Record<string, string>> {
  const indented = JSON.stringify(body, null, 2)
  return {
    'spaces, as Python writes them': indented.replaceAll(/\n */g, ' '),
    'a line for each member': indented.replaceAll('\n', '\r\n').replaceAll('": ', '" : '),
    '`stream` in front': JSON.stringify({ stream: true, ...body }),
    'an escape in the name `stream`': JSON.stringify(body).replace('"stream"', '"\\u0073tream"'),
  }
}

export const framingCases: readonly Case[] = [
  check('stream.status-and-type', 'STREAM-1', 'status and content type of a stream').run(async (t) =>
    t.expect(await requestStream(t), statusOk, eventStreamType, wholeMessage),
  ),
  check('stream.any-layout', 'STREAM-1', 'a request for a stream in other layouts of its JSON').run(
    async (t) => {
      for (const [layout, body] of Object.entries(layoutsOf({ ...(await shortBody(t)), stream: true })))
        t.expect(await postRaw(t, body), noted(statusOk, layout), noted(eventStreamType, layout))
    },
  ),
  check('stream.json-records', 'STREAM-1', 'records of one JSON object each').run(async (t) =>
    t.expect(await wholeStream(t), jsonRecords),
  ),
  check('stream.last-record-ended', 'STREAM-1', 'a blank line behind the last record').run(async (t) =>
    t.expect(await wholeStream(t), lastRecordEnded),
  ),
  check('stream.done-once', 'STREAM-2', '[DONE] at the end, once, and then the end of the body').run(
    async (t) => t.expect(await eventStream(t), doneOnce, bodyEnds),
  ),
  check('stream.nothing-after-done', 'STREAM-2', 'nothing behind [DONE]').run(async (t) =>
    t.expect(await eventStream(t), nothingAfterDone),
  ),
  check('stream.no-empty-events', 'STREAM-9', 'no event without data').run(async (t) =>
    t.expect((await streamedAnswer(t)).exchange, noEmptyEvents),
  ),
  check('stream.no-error-member', 'STREAM-9', 'no member `error` on a good chunk').run(async (t) =>
    t.expect((await streamedAnswer(t)).exchange, noErrorMember),
  ),
]

export const usageChunkLast: Verifier = (exchange) => {
  const { chunks } = readStream(exchange)
  const places = chunks.flatMap((chunk, place) => (isUsageChunk(chunk) ? [place] : []))
  if (places.length === 1 && places[0] === chunks.length - 1) return undefined
  const expected = 'one chunk with empty `choices` and `usage`, the last one'
  if (places.length === 0) return { expected, actual: `none, the last one is ${show(chunks.at(-1))}` }
  return { expected, actual: `chunks ${places.join(', ')} of 0 to ${chunks.length - 1}` }
}

/** `usage` is null or absent on every chunk but the usage chunk. */
export const noUsageElsewhere: Verifier = (exchange) => {
  const odd = readStream(exchange).chunks.find(
    (chunk) => !isUsageChunk(chunk) && isRecord(at(chunk, 'usage')),
  )
  return odd === undefined ? undefined : { expected: 'no usage on a chunk with choices', actual: show(odd) }
}

export const noUsageChunk: Verifier = (exchange) => {
  const odd = readStream(exchange).chunks.find(isUsageChunk)
  return odd === undefined ? undefined : { expected: 'no usage chunk', actual: show(odd) }
}

const withOptions = [
  ['usage-chunk-last', 'include_usage: one last chunk with the usage', true, usageChunkLast],
  ['no-usage-elsewhere', 'include_usage: no usage on the other chunks', true, noUsageElsewhere],
  ['no-usage-chunk-if-false', 'include_usage: false', false, noUsageChunk],
] as const

export const usageCases: readonly Case[] = [
  ...withOptions.map(([slug, title, include_usage, verifier]) =>
    check(`stream.${slug}`, 'STREAM-7', title).run(async (t) => {
      await t.target.requireField('stream_options')
      t.expect((await ownStream(t, { stream_options: { include_usage } })).exchange, verifier)
    }),
  ),
  check('stream.no-usage-chunk', 'STREAM-7', 'no usage chunk if it was not requested').run(async (t) =>
    t.expect((await streamedAnswer(t)).exchange, noUsageChunk),
  ),
]
