import { once } from 'node:events'
import net from 'node:net'
import { expect, test } from 'vitest'
import { serverSockets, watchSockets } from './server-sockets.ts'

const { signal } = new AbortController()

/** A server that treats a connection in its own way, and a client that never closes its half. */
async function connected(treat: (socket: net.Socket) => void) {
  const accepted: net.Socket[] = []
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket)
    treat(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const client = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true }).resume()
  return {
    client,
    sockets: serverSockets(`http://127.0.0.1:${port}`),
    [Symbol.asyncDispose]: async () => {
      for (const socket of [client, ...accepted]) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

test.runIf(process.platform === 'linux').each([
  ['ends its half of', true, (socket: net.Socket) => socket.end()],
  ['closes', false, (socket: net.Socket) => socket.end(() => socket.destroy())],
])('a server that %s a connection holds it: %s', async (_, isHeld, treat) => {
  await using other = await connected(treat)
  await once(other.client, 'end')
  await expect.poll(() => other.sockets.holds(other.client.localPort ?? 0) === true).toBe(isHeld)
})

test('whether a server on another machine holds a connection is unknown', () => {
  expect(serverSockets('http://192.0.2.1:9').holds(40_000)).toBeUndefined()
})

test.runIf(process.platform === 'linux')('sockets that stay open are counted', async () => {
  const watched = watchSockets(process.pid)
  {
    await using _ = await connected((socket) => socket.resume())
    const held = await watched.settle(100, signal)
    expect(held?.end).toBeGreaterThan(held?.start ?? Infinity)
  }
  await expect(watchSockets(undefined).settle(1, signal)).resolves.toBeUndefined()
})
