// Bounds the time of every answer: a client that stops reading does not keep its connection.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createDeadlines } from './deadlines.ts'

/** How long the last bytes of an ended answer may take, in milliseconds. */
export const FINAL_FLUSH_MS = 1000

export interface AnswerClock {
  /** Starts the time of an answer. If the body of the request has not arrived, the time starts again when it has. */
  start(outgoing: ServerResponse, incoming: IncomingMessage): void
}

/** Destroys the connection of an answer whose last byte has not left after `timeoutMs` and the time for the last bytes. */
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
