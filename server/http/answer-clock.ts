// Bounds the time of every answer: a client that stops reading does not keep its connection.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createDeadlines } from './deadlines.ts'

/** How long an answer that was ended may take to leave, in milliseconds. */
export const FINAL_FLUSH_MS = 1000

export interface AnswerClock {
  /** Starts the time of an answer. If the body of the request is still to come, the time starts again when it is here. */
  start(outgoing: ServerResponse, incoming: IncomingMessage): void
}

/** An answer has `timeoutMs`, and a moment more, until its last byte has left; then its connection is destroyed. */
export function createAnswerClock(timeoutMs: number): AnswerClock {
  const answers = createDeadlines<ServerResponse>(timeoutMs + FINAL_FLUSH_MS, (late) => late.destroy())
  return {
    start(outgoing, incoming) {
      answers.start(outgoing)
      outgoing.once('close', () => answers.end(outgoing))
      incoming.once('end', () => {
        if (answers.has(outgoing)) answers.start(outgoing)
      })
    },
  }
}
