// Makes an exchange for tests of the given parts, with defaults for the others.
import type { AnswerEnd, Exchange, Headers } from './http/exchange.ts'

export interface MadeExchange {
  readonly method?: string
  readonly path?: string
  readonly requestHeaders?: Headers
  readonly requestBody?: string | Uint8Array
  readonly status?: number
  readonly headers?: Headers
  /** Text and bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown
  readonly end?: AnswerEnd
}

export function madeExchange(made: MadeExchange = {}): Exchange {
  const path = made.path ?? '/v1/chat/completions'
  const { requestBody } = made
  const bytes = bytesOf(made.body)
  return {
    request: {
      method: made.method ?? 'POST',
      url: `http://127.0.0.1:8080${path}`,
      path,
      headers: made.requestHeaders ?? [],
      ...(requestBody === undefined ? {} : { body: Buffer.from(requestBody) }),
    },
    response: {
      status: made.status ?? 200,
      headers: made.headers ?? [['Content-Type', 'application/json']],
      body: bytes,
      chunks: [{ atMs: 1, size: bytes.length }],
      end: made.end ?? 'complete',
    },
    timings: { firstByteMs: 1, totalMs: 2 },
  }
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  return Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''))
}
