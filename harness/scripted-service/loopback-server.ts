// The two hosts of the scripted service: its own, and another one for redirects.
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Answers a request. */
type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Starts a server on a loopback address; port 0 is any free one. Rejects if the port is taken. */
export async function listen(handler: Handler, host: string, port = 0) {
  const server = createServer((request, response) => void handler(request, response))
  // Programs keep connections open between attempts; a long wait must not close them.
  server.keepAliveTimeout = 120_000
  server.listen(port, host)
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  return {
    origin: `http://${host}:${taken}`,
    async close(): Promise<void> {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
}

/** Listens under the other name of the loopback address, for a machine that has only one. */
export async function listenAsLocalhost(handler: Handler) {
  const listening = await listen(handler, '127.0.0.1')
  return { ...listening, origin: listening.origin.replace('127.0.0.1', 'localhost') }
}
