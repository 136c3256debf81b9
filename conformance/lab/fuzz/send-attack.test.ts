import { expect, test } from 'vitest'
import { KEY_PLACE } from './attack.ts'
import { forService } from './send-attack.ts'

const request = (line: string, header: string): string =>
  `${line} HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n{"text":"GET /v1/models"}`

const PIECES = [
  { text: request('POST /v1/chat/completions?a', `Authorization: Bearer ${KEY_PLACE}`), times: 3 },
]

test('an attack is sent to the addresses of the service, with the key in its header', () => {
  const sent = forService(PIECES, { baseUrl: 'http://h/api/v3?b=1', key: 'k', authHeader: 'api-key' })
  const line = 'POST /api/v3/chat/completions?b=1&a'
  expect(sent).toEqual([{ text: request(line, 'api-key: k'), times: 3 }])
})

test('an attack on a root is sent as it is', () => {
  const sent = forService(PIECES, { baseUrl: 'http://h', key: 'k' })
  expect(sent).toEqual([
    { text: request('POST /v1/chat/completions?a', 'Authorization: Bearer k'), times: 3 },
  ])
})
