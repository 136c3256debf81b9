// The answers of the scripted service: JSON, pages, streams, and errors in their envelope.
import { randomUUID } from 'node:crypto'
import { errorTypes } from '../../../spec/protocol/error.ts'
import { type Answer, bodyOf } from '../../../fixtures/faulty/exchange.ts'

export function answer(status: number, type: string, body: string): Answer {
  const headers = [
    ['content-type', type],
    ['x-request-id', randomUUID()],
    // A stream has no length.
    ...(type === 'text/event-stream' ? [] : [['content-length', String(Buffer.byteLength(body))] as const]),
  ] as const
  return { status, headers, body: bodyOf(body) }
}

export function json(value: unknown, status = 200): Answer {
  return answer(status, 'application/json', JSON.stringify(value))
}

export function refuse(
  status: keyof typeof errorTypes,
  code: string,
  message: string,
  param: string | null = null,
): Answer {
  return json({ error: { message, type: errorTypes[status], code, param } }, status)
}
