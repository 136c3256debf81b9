// The answer of the servers that the benchmark compares ours with: always the same, given as JSON in BARE_ANSWER.
import type { ServerResponse } from 'node:http'

/** A JSON body as one text, or an event stream as its records. */
export interface BareAnswer {
  readonly contentType: string
  readonly pieces: readonly string[]
}

export const bareAnswer: BareAnswer = JSON.parse(
  process.env['BARE_ANSWER'] ?? '{"contentType":"","pieces":[]}',
)

const text = bareAnswer.pieces.join('')

/** As `byRecord` says: a stream record by record, or all of it in one write. */
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
