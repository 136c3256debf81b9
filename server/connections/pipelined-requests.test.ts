// One connection cannot keep the event loop for itself, whatever it sends in one write.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { EarlyAnswer } from './early-answer.ts'
import { inTurns } from './pipelined-requests.ts'

const COUNT = 2_000

test('at most 101 requests of one write begin in a turn, and all are answered in their order', async () => {
  const begun: number[] = []
  const listener = inTurns((incoming, outgoing) => {
    if (begun.at(-1) === undefined || isNewTurn) {
      begun.push(0)
      isNewTurn = false
      setImmediate(() => (isNewTurn = true))
    }
    begun[begun.length - 1] = (begun.at(-1) ?? 0) + 1
    outgoing.end(`${incoming.url},`)
  })
  let isNewTurn = true
  const server = createServer({ ServerResponse: EarlyAnswer, keepAliveTimeout: 0 }, listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1')
  let text = ''
  socket.on('data', (data: string) => (text += data))
  const paths = Array.from({ length: COUNT }, (_, place) => `/${place}`)
  const last = '/last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  socket.write(`${paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('')}GET ${last}`)
  await once(socket, 'close')
  expect([...text.matchAll(/(\/\w+),/g)].map(([, path]) => path)).toEqual([...paths, '/last'])
  // The first request of a turn may find the connection without an answer that is due.
  expect(Math.max(...begun)).toBeLessThanOrEqual(101)
  server.close()
})
