// The reference of the benchmark: `node:http` and nothing else. It reads and parses the same body and writes the same
// answer as the server that it is compared with, given as JSON in the environment variable BARE_ANSWER.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An answer to give: a JSON body as one text, an event stream as its records. */
export interface BareAnswer {
  readonly contentType: string
  readonly pieces: readonly string[]
}

const { contentType, pieces }: BareAnswer = JSON.parse(process.env['BARE_ANSWER'] ?? '')

function answer(response: ServerResponse): void {
  const [first = ''] = pieces
  if (pieces.length === 1) {
    response
      .writeHead(200, { 'content-type': contentType, 'content-length': Buffer.byteLength(first) })
      .end(first)
    return
  }
  response.writeHead(200, { 'content-type': contentType })
  for (const piece of pieces) response.write(piece)
  response.end()
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (request.method === 'POST') JSON.parse(Buffer.concat(chunks).toString())
    answer(response)
  })
})

server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
