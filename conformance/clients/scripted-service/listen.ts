// The two hosts of the scripted service: its own, and another one that an answer may redirect to.
import { once } from 'node:events'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that listens. */
export interface Listening {
  readonly origin: string
  close(): Promise<void>
}

/** Answers the requests of a connection. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Starts a server on any free port of a loopback address. */
export async function listen(handler: Handler, host: string): Promise<Listening> {
  const server: Server = createServer((request, response) => void handler(request, response))
  // Programs keep connections between attempts; a wait of a script must not find one closed.
  server.keepAliveTimeout = 120_000
  server.listen(0, host)
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  return {
    origin: `http://${host}:${taken}`,
    async close() {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
}

/** Where a machine has one loopback address only, another host is the other name of it. */
export async function listenAsLocalhost(handler: Handler): Promise<Listening> {
  const listening = await listen(handler, '127.0.0.1')
  return { ...listening, origin: listening.origin.replace('127.0.0.1', 'localhost') }
}
