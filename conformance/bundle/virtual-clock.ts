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
  readonly order: number
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
  const queue: Due[] = []
  const cancelled = new WeakSet<Due>()
  let [nowMs, order, calm] = [0, 0, 0]
  // The number of calls that were due when the clock began to wait for a limit.
  let awaited = -1
  let isTurning = false

  function turn(): void {
    calm += 1
    if (calm < CALM_TURNS) return void setImmediate(turn)
    while (queue[0] !== undefined && cancelled.has(queue[0])) pop(queue)
    calm = 0
    const [first] = queue
    if (first?.isLimit === true && awaited !== order) {
      awaited = order
      return void setTimeout(turn, LIMIT_CALM_MS)
    }
    const next = pop(queue)
    if (next !== undefined) {
      nowMs = Math.max(nowMs, next.atMs)
      next.call()
    }
    isTurning = queue.length > 0
    if (isTurning) setImmediate(turn)
  }

  function add(atMs: number, call: () => void, isLimit: boolean): () => void {
    const due = { atMs: Math.max(atMs, nowMs), order: (order += 1), isLimit, call }
    push(queue, due)
    if (!isTurning) {
      isTurning = true
      calm = 0
      setImmediate(turn)
    }
    return () => void cancelled.add(due)
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

const isBefore = (one: Due, other: Due): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order)

// A binary heap: the first of the queue is due first.
function push(queue: Due[], due: Due): void {
  let place = queue.push(due) - 1
  for (;;) {
    const above = (place - 1) >> 1
    const parent = queue[above]
    if (place === 0 || parent === undefined || !isBefore(due, parent)) break
    queue[place] = parent
    queue[above] = due
    place = above
  }
}

function pop(queue: Due[]): Due | undefined {
  const [first] = queue
  const last = queue.pop()
  if (first === undefined || last === undefined || queue.length === 0) return first
  let place = 0
  for (;;) {
    const [left, right] = [queue[2 * place + 1], queue[2 * place + 2]]
    const isRight = right !== undefined && left !== undefined && isBefore(right, left)
    const child = isRight ? right : left
    if (child === undefined || !isBefore(child, last)) break
    queue[place] = child
    place = 2 * place + (isRight ? 2 : 1)
  }
  queue[place] = last
  return first
}
