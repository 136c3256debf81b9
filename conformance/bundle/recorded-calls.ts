// Requests to a scripted service as exchanges of a recording, and read from them again.
import { type Call, exchangeOf } from '../../harness/scripted-service/received-call.ts'
import { rounded } from '../exchanges/line-codec.ts'
import type { RecordedExchange } from '../exchanges/recorded-exchange.ts'

/** The exchange of a call, which has its time in the recording from its recorder. */
export function exchangeOfCall(call: Call): Omit<RecordedExchange, 'startedAtMs'> {
  const { kind, arrivedMs, request, reply, hungUpMs } = call
  const { response = null, timings = { firstByteMs: 0, totalMs: 0 } } = exchangeOf(call) ?? {}
  const after = <Name extends string>(name: Name, ms: number | undefined) =>
    ms === undefined ? {} : ({ [name]: rounded(ms - arrivedMs) } as Record<Name, number>)
  const written = reply && {
    end: reply.end,
    pieces: reply.pieces.map(({ length }) => length),
    ...after('lastByteMs', reply.lastByteMs),
  }
  const own = { kind, ...(written && { written }), ...after('hungUpMs', hungUpMs) }
  return { hop: 'upstream', request, response, timings, call: own }
}

/** The call of an exchange that `exchangeOfCall` made. */
export function callOf({ request, response, timings, call, atMs = 0 }: RecordedExchange): Call {
  const { kind = 'stray', written, hungUpMs: leftMs } = call ?? {}
  const hungUpMs = leftMs === undefined ? undefined : atMs + leftMs
  if (response === null || written === undefined) return { kind, arrivedMs: atMs, request, hungUpMs }
  const { status, headers, body } = response
  const { end, lastByteMs } = written
  let from = 0
  const pieces = written.pieces.map((size) => body.subarray(from, (from += size)))
  const last = lastByteMs === undefined ? {} : { lastByteMs: atMs + lastByteMs }
  const reply = { status, headers, pieces, end, firstByteMs: atMs + timings.firstByteMs, ...last }
  return { kind, arrivedMs: atMs, request, reply, hungUpMs }
}
