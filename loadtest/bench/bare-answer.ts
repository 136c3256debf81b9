// The servers that ours is compared with: plain `node:http`, and a constant answer, as JSON in BARE_ANSWER.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A JSON body in one piece, or an event stream in its records. */
export interface BareAnswer {
  readonly contentType: string
  readonly pieces: readonly string[]
}

export const bareAnswer: BareAnswer = JSON.parse(
  process.env['BARE_ANSWER'] ?? '{"contentType":"","pieces":[]}',
)

const text = bareAnswer.pieces.join('')

/** Writes a stream record by record if `byRecord` is set, otherwise in one write. */
export function answerBare(response: ServerResponse, byRecord: boolean): void {
  const { contentType, pieces } = bareAnswer
  if (!byRecord || pieces.length === 1) {
    response
      .writeHead(200, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) })
      .end(text)
    return
  }
  response.writeHead(200, { 'content-type': contentType })
  for (const piece of pieces) response.write(piece)
  response.end()
}

/** Serves on a free port, which it prints. */
export function serve(listener: RequestListener): void {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
}

/** Serves requests with their parsed bodies; undefined without a body. */
export function serveParsed(
  handle: (request: IncomingMessage, body: unknown, response: ServerResponse) => unknown,
): void {
  serve((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = request.method === 'POST' ? JSON.parse(Buffer.concat(chunks).toString()) : undefined
      void handle(request, body, response)
    })
  })
}
