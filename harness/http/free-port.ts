// A free port of the loopback interface, for a process whose port is a part of its command line.
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Another process may take the port before it is used. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port is free')
  return address.port
}
