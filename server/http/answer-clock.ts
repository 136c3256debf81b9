// Ends every answer that is not taken in time: whatever became of the work, a reader that stalls keeps no connection.
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface AnswerClock {
  /** Counts from now on; where the body of the request is still to come, from its arrival. */
  start(outgoing: ServerResponse, incoming?: IncomingMessage): void
}

/** An answer has `timeoutMs` until its last byte has left; then its connection is destroyed. */
export function createAnswerClock(timeoutMs: number): AnswerClock {
  /** By when each has to be done, the oldest first: in milliseconds of `performance.now()`. */
  const open = new Map<ServerResponse, number>()
  // All have the same time, so one timer, for the oldest, does for all of them.
  let timer: NodeJS.Timeout | undefined

  function endLate(): void {
    timer = undefined
    const now = performance.now()
    for (const [outgoing, deadline] of open) {
      if (deadline - now >= 1) return void (timer = setTimeout(endLate, deadline - now).unref())
      open.delete(outgoing)
      outgoing.destroy()
    }
  }

  function count(outgoing: ServerResponse): void {
    open.delete(outgoing)
    open.set(outgoing, performance.now() + timeoutMs)
    timer ??= setTimeout(endLate, timeoutMs).unref()
  }

  return {
    start(outgoing, incoming) {
      count(outgoing)
      outgoing.once('close', () => open.delete(outgoing))
      incoming?.once('end', () => {
        if (open.has(outgoing)) count(outgoing)
      })
    },
  }
}
