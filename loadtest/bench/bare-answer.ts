// The constant answer of the servers that ours is compared with, as JSON in BARE_ANSWER.
import type { ServerResponse } from 'node:http'

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
