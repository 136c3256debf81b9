// Reads the head of an answer that the HTTP parser refused, because a report shows it.
import { Buffer } from 'node:buffer'
import type { Exchange, Headers, SentRequest } from './exchange.ts'

/**
 * Reads the bytes that the HTTP parser of Node refused with this error, after `totalMs` milliseconds; `broken` says why.
 * Undefined if it refused none, or if they do not begin with a status line.
 */
export function refusedAnswer(
  request: SentRequest,
  error: unknown,
  broken: string,
  totalMs: number,
): Exchange | undefined {
  const raw = error instanceof Error && 'rawPacket' in error ? error.rawPacket : undefined
  if (!Buffer.isBuffer(raw)) return undefined
  const [head = ''] = raw.toString('latin1').split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const [, status] = /^HTTP\/\d\.\d (\d{3})/.exec(first) ?? []
  if (status === undefined) return undefined
  const headers = lines.map((line): Headers[number] => {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    return [name, value]
  })
  const body = raw.subarray(Buffer.byteLength(head, 'latin1') + 4)
  const chunks = [{ atMs: totalMs, size: body.length }]
  return {
    request,
    response: { status: Number(status), headers, body, chunks, end: 'broken', broken },
    timings: { firstByteMs: totalMs, totalMs },
  }
}
