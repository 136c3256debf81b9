// Records the exchanges of one connection from the bytes that pass in both directions.
import { decodeWhole, decoderFor } from '../../../harness/http/content-coding.ts'
import {
  type AnswerEnd,
  type Headers,
  type SentRequest,
  headerValues,
} from '../../../harness/http/exchange.ts'
import { pathAt, urlAt } from '../../../harness/http/service-address.ts'
import { bounds } from '../../../harness/bounds/bounds.ts'
import { type Mark, createMessageReader } from './message-reader.ts'
import type { RecordedExchange } from '../recorded-exchange.ts'

/** The state that the recorders of one capture share. */
export interface CaptureState {
  openBytes: number
  readonly baseUrl: string
  record(exchange: RecordedExchange): void
  /** Bodies whose content coding is being undone. */
  readonly decoding: Set<Promise<void>>
}

interface Open {
  readonly startedAtMs: number
  readonly startedMs: number
  readonly request: SentRequest
  readonly requestBody: Body
  /** The whole request has passed. */
  isSent: boolean
  answer?: {
    readonly status: number
    readonly headers: Headers
    readonly firstByteMs: number
    readonly body: Body
    /** When the answer ended, after the start; undefined before. */
    totalMs?: number
  }
}

export function createConnectionRecorder(state: CaptureState) {
  const open: Open[] = []
  let sentSince: { readonly atMs: number; readonly ms: number } | undefined
  /** The latest request, whose body may still be on its way. */
  let sending: Open | undefined

  const requests = createMessageReader('REQUEST', {
    head({ method, url, headers }) {
      const { atMs, ms } = sentSince ?? { atMs: Date.now(), ms: performance.now() }
      const path = pathAt(state.baseUrl, url)
      const request = { method, url: urlAt(state.baseUrl, path), path, headers }
      const requestBody = createBody(state)
      sending = { startedAtMs: atMs, startedMs: ms, request, requestBody, isSent: false }
      open.push(sending)
      return false
    },
    body: (piece) => sending?.requestBody.add(piece, 0),
    end() {
      sentSince = undefined
      if (sending === undefined) return
      sending.isSent = true
      if (sending.answer?.totalMs !== undefined) finish('complete')
    },
  })
  const answers = createMessageReader('RESPONSE', {
    head({ status, headers }) {
      const [current] = open
      // From here on the connection speaks another protocol.
      if (status === 101) requests.close()
      // Interim answers come before the answer.
      else if (status < 200) return false
      if (current === undefined) return false
      const firstByteMs = performance.now() - current.startedMs
      current.answer = { status, headers, firstByteMs, body: createBody(state) }
      return current.request.method === 'HEAD'
    },
    body(piece) {
      const [current] = open
      current?.answer?.body.add(piece, performance.now() - current.startedMs)
    },
    end() {
      const [current] = open
      if (current?.answer === undefined) return
      current.answer.totalMs = performance.now() - current.startedMs
      // A refusal may come before the body of its request.
      if (current.isSent) finish('complete')
    },
  })

  /** Records the oldest open exchange. */
  function finish(end: AnswerEnd, error?: string): void {
    const exchange = open.shift()
    if (exchange === undefined) return
    const { startedAtMs, startedMs, request, requestBody, answer } = exchange
    const totalMs = answer?.totalMs ?? performance.now() - startedMs
    const bytes = requestBody.take()
    const head = {
      startedAtMs,
      request: bytes.length === 0 ? request : { ...request, body: bytes },
      timings: { firstByteMs: answer?.firstByteMs ?? totalMs, totalMs },
      error,
    }
    if (answer === undefined) return state.record({ ...head, response: null })
    const { status, headers, body } = answer
    const { chunks } = body
    const ending = body.isCut ? 'too-large' : end
    const keep = (plain: Uint8Array | undefined): void =>
      state.record({
        ...head,
        response: {
          status,
          headers,
          body: plain ?? new Uint8Array(),
          chunks,
          end: plain === undefined ? 'broken' : ending,
        },
      })
    const coded = body.take()
    const decoder = decoderFor(headerValues(headers, 'content-encoding')[0])?.(coded)
    if (decoder === undefined || coded.length === 0) return keep(coded)
    const decoding = decodeWhole(coded, decoder, bounds().answerBytes).then(keep)
    state.decoding.add(decoding)
    void decoding.finally(() => state.decoding.delete(decoding))
  }

  return {
    /** Bytes of the client; returns where heads and messages end in them, or undefined if they are not HTTP/1.1. */
    sent(bytes: Buffer): readonly Mark[] | undefined {
      sentSince ??= { atMs: Date.now(), ms: performance.now() }
      return requests.read(bytes)
    },
    /** Bytes of the service. */
    received: (bytes: Buffer): void => void answers.read(bytes),
    /** The service sends no more. */
    receivedEnd: (): void => answers.close(),
    /** The connection is over; an exchange without its end was left by this side, or broke with this error. */
    closed(by: 'client' | 'service', error?: string): void {
      while (open.length > 0) {
        if (open[0]?.answer?.totalMs !== undefined) finish('complete')
        else finish(by === 'client' ? 'hung-up' : 'broken', by === 'client' ? undefined : error)
      }
    },
  }
}

type Body = ReturnType<typeof createBody>

function createBody(state: CaptureState) {
  const { answerBytes, openBytes } = bounds()
  const pieces: Uint8Array[] = []
  const chunks: { atMs: number; size: number }[] = []
  let size = 0
  let isCut = false
  return {
    chunks,
    get isCut(): boolean {
      return isCut
    },
    add(piece: Uint8Array, atMs: number): void {
      isCut ||= size + piece.length > answerBytes || state.openBytes + piece.length > openBytes
      if (isCut) return
      pieces.push(piece)
      chunks.push({ atMs, size: piece.length })
      size += piece.length
      state.openBytes += piece.length
    },
    /** The bytes, which no longer count as open. */
    take(): Buffer {
      state.openBytes -= size
      return Buffer.concat(pieces.splice(0))
    },
  }
}
