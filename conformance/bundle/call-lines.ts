// Requests to a scripted service as parts of lines. Credentials become stand-ins of the same length.
import type { Exchange, SentRequest } from '../../harness/http/exchange.ts'
import type { Call } from '../../harness/scripted-service/received-call.ts'
import { type CallLine, type createLineReader, createLineWriter, rounded } from './lines.ts'
import type { StandIns } from './stand-ins.ts'

/** `originMs` is the zero of the times. */
export function createCallWriter(standIns: StandIns, originMs: number) {
  const writer = createLineWriter()
  const since = (ms: number): number => Math.round((ms - originMs) * 1000) / 1000
  const optional = <Name extends string>(name: Name, ms: number | undefined) =>
    ms === undefined ? {} : ({ [name]: since(ms) } as Record<Name, number>)

  /** Marks a request and the answer to it. */
  function marked(request: SentRequest, response: Exchange['response'] | null) {
    return standIns.apply({ startedAtMs: 0, request, response, timings: { firstByteMs: 0, totalMs: 0 } })
  }

  return {
    since,
    optional,
    body: (text: string) => writer.body(Buffer.from(text)),
    call({ kind, arrivedMs, request, reply, hungUpMs }: Call): CallLine {
      const body = Buffer.concat(reply?.pieces ?? [])
      const answer =
        reply === undefined
          ? null
          : ({ status: reply.status, headers: reply.headers, body, chunks: [], end: 'complete' } as const)
      const own = marked(request, answer)
      // A reader meets the bodies in this order.
      const sent = writer.wholeRequest(own.request)
      const written = own.response === null ? undefined : writer.response(own.response)
      return {
        kind,
        arrivedMs: since(arrivedMs),
        request: sent,
        ...(reply === undefined || written === undefined
          ? {}
          : {
              reply: {
                status: written.status,
                headers: written.headers,
                body: written.body,
                pieces: reply.pieces.map(({ length }) => length),
                end: reply.end,
                firstByteMs: since(reply.firstByteMs),
                ...optional('lastByteMs', reply.lastByteMs),
              },
            }),
        ...optional('hungUpMs', hungUpMs),
      }
    },
    /** The request of a client and its answer, if there is one. */
    exchange(request: SentRequest, answer: Exchange | undefined) {
      const own = marked(request, answer?.response ?? null)
      return {
        request: writer.wholeRequest(own.request),
        ...(own.response === null ? {} : { response: writer.response(own.response) }),
        ...(answer === undefined
          ? {}
          : {
              timings: {
                firstByteMs: rounded(answer.timings.firstByteMs),
                totalMs: rounded(answer.timings.totalMs),
              },
            }),
      }
    },
  }
}

/** Reads the call of a line. */
export function callOf(line: CallLine, reader: ReturnType<typeof createLineReader>): Call {
  const { kind, arrivedMs, reply, hungUpMs } = line
  const request = reader.request(line.request)
  if (reply === undefined) return { kind, arrivedMs, request, hungUpMs }
  const { body: written, pieces: sizes, ...rest } = reply
  const body = reader.body(written)
  let from = 0
  const pieces = sizes.map((size) => body.subarray(from, (from += size)))
  const { lastByteMs, ...head } = rest
  const own = { ...head, pieces, ...(lastByteMs === undefined ? {} : { lastByteMs }) }
  return { kind, arrivedMs, request, reply: own, hungUpMs }
}
