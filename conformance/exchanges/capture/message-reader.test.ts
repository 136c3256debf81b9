import { expect, test } from 'vitest'
import { createMessageReader } from './message-reader.ts'

/** Reads these answers in one piece. */
function read(text: string) {
  let bodies = 0
  const reader = createMessageReader('RESPONSE', {
    head: () => false,
    body: () => void (bodies += 1),
    end: () => {},
  })
  const marks = reader.read(Buffer.from(text))
  return {
    isRead: marks !== undefined,
    bodies,
    isReadAfter: reader.read(Buffer.from('HTTP/1.1 200 OK\r\n')) !== undefined,
  }
}

const head = (line: string): string => `HTTP/1.1 200 OK\r\n${line}\r\n\r\n`

test.each([
  ['a chunk of -5 bytes', `${head('Transfer-Encoding: chunked')}-5\r\n{"id":"c-1"}\r\n0\r\n\r\n`],
  ['a body of -42 bytes', `${head('Content-Length: -42')}{"id":"c-1"}`],
])('%s is not HTTP, and reading it ends', (_, text) => {
  const { isRead, isReadAfter, bodies } = read(text)
  expect(bodies).toBe(0)
  expect([isRead, isReadAfter]).toContain(false)
})

test('whole answers are read', () => {
  expect(
    read(`${head('Content-Length: 2')}{}${head('Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`),
  ).toEqual({
    isRead: true,
    bodies: 2,
    isReadAfter: true,
  })
})
