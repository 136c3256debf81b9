// The clock of a replay. It stands still while anything of the run is at work, and then jumps to what is due next, so that
// a run that waited for minutes is judged again in seconds, with every event in its recorded order.
import { setImmediate } from 'node:timers'
import type { Clock } from '../../harness/clock.ts'

/** Turns of the event loop in which nothing was due before the clock moves: what one event sets off has ended by then. */
const CALM_TURNS = 3

/** A limit is reached only if nothing else happens for this time, in milliseconds: a client library may work in more turns. */
const LIMIT_CALM_MS = 20

interface Due {
  readonly atMs: number
  /** The end of a limit, which rarely is what happens next. */
  readonly isLimit: boolean
  readonly call: () => void
}

export interface VirtualClock extends Clock {
  /** Calls `then` at this time, or at once if it has passed. Returns a function that prevents it. */
  at(ms: number, then: () => void): () => void
}

/** `startMs` is the time of its zero, in milliseconds since 1970. */
export function createVirtualClock(startMs: number): VirtualClock {
  /** The calls in the order in which they are due. */
  const queue: Due[] = []
  let [nowMs, added, calm] = [0, 0, 0]
  // The number of calls that had been added when the clock began to wait for a limit.
  let awaited = -1
  let isTurning = false

  function turn(): void {
    calm += 1
    if (calm < CALM_TURNS) return void setImmediate(turn)
    calm = 0
    const [first] = queue
    if (first?.isLimit === true && awaited !== added) {
      awaited = added
      return void setTimeout(turn, LIMIT_CALM_MS)
    }
    const next = queue.shift()
    if (next !== undefined) {
      nowMs = Math.max(nowMs, next.atMs)
      next.call()
    }
    isTurning = queue.length > 0
    if (isTurning) setImmediate(turn)
  }

  function add(atMs: number, call: () => void, isLimit: boolean): () => void {
    const due = { atMs: Math.max(atMs, nowMs), isLimit, call }
    added += 1
    // Few are due later: of calls at the same time the first one stays first.
    queue.splice(queue.findLastIndex((other) => other.atMs <= due.atMs) + 1, 0, due)
    if (!isTurning) {
      isTurning = true
      calm = 0
      setImmediate(turn)
    }
    return () => {
      const place = queue.indexOf(due)
      if (place >= 0) queue.splice(place, 1)
    }
  }

  return {
    now: () => nowMs,
    date: () => startMs + nowMs,
    at: (ms, then) => add(ms, then, false),
    after: (ms, then) => add(nowMs + Math.max(0, ms), then, true),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => {
          cancel()
          reject(signal?.reason)
        }
        const wake = (): void => {
          signal?.removeEventListener('abort', abort)
          resolve()
        }
        const cancel = add(nowMs + Math.max(0, ms), wake, false)
        if (signal?.aborted === true) abort()
        else signal?.addEventListener('abort', abort, { once: true })
      }),
  }
}
