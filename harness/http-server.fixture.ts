// Servers on a free port, and a small HTTP server with a handler of the test.
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/** Listens on a free port until it is disposed of. */
export async function listening(server: Server & { closeAllConnections?(): void }, host = '127.0.0.1') {
  server.listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    baseUrl: `http://${host}:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections?.()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Starts a server; the handler gets the body as text, and answers or stays silent. */
export async function startTestServer(
  handler: (
    request: http.IncomingMessage & { readonly text: string },
    response: http.ServerResponse,
  ) => unknown,
  options: http.ServerOptions = {},
) {
  let connections = 0
  const server = http.createServer(options, (incoming, outgoing) => {
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.on('end', () => {
      handler(Object.assign(incoming, { text: Buffer.concat(pieces).toString() }), outgoing)
    })
  })
  server.on('connection', () => (connections += 1))
  /** `connections`: those accepted so far. */
  return { connections: () => connections, ...(await listening(server)) }
}

export function sendJson(
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
