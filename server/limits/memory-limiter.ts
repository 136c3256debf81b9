// Limits in the memory of one process, which its threads share: exact, lost when the process ends, and always synchronous.
import { setTimeout as sleep } from 'node:timers/promises'
import type { LimitState, RateLimiter, Release } from './rate-limiter.ts'
import { createTableMemory, RecordTable, type TableMemory } from './record-table.ts'

/** The window of a limit on tokens, in seconds. */
export const TOKEN_WINDOW_SECONDS = 60

/** The numbers of a fixed window, which begins with the first request after the previous one, or when the limit changes. */
const [LIMIT, SECONDS, COUNT, ENDS, WINDOW_NUMBERS] = [0, 1, 2, 3, 4]

/** The record of a key: two windows, and the requests in flight of each thread. */
const [REQUESTS, TOKENS, IN_FLIGHT] = [0, WINDOW_NUMBERS, 2 * WINDOW_NUMBERS]

/** How often the main thread tries to get the lock, in milliseconds. */
const TRY_LOCK_MS = 1

/** The memory in which threads count together. */
export interface LimitMemory {
  readonly table: TableMemory
  readonly threads: number
}

export function createLimitMemory(threads: number): LimitMemory {
  return { table: createTableMemory(IN_FLIGHT + threads), threads }
}

/** A clock that never jumps, in milliseconds. It is the same in all threads; `performance.now()` is not. */
function threadClock(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

export type MemoryRateLimiter = ReturnType<typeof createMemoryRateLimiter>

/** The limiter of one thread, numbered from 0. `now` is a clock as `threadClock` is. */
export function createMemoryRateLimiter(
  now: () => number = threadClock,
  memory: LimitMemory = createLimitMemory(1),
  thread = 0,
) {
  const table = openTable(memory, thread)

  /** Adds to the current window. Admits while fewer than `limit` were counted before. */
  function add(
    window: number,
    keyId: string,
    limit: number,
    seconds: number,
    added: number,
    onlyIfAdmitted = false,
  ): LimitState {
    const time = now()
    table.lock()
    try {
      const at = table.find(keyId, time) + window
      const { numbers } = table
      let [count = 0, ends = 0] = [numbers[at + COUNT], numbers[at + ENDS]]
      if (ends <= time || numbers[at + LIMIT] !== limit || numbers[at + SECONDS] !== seconds) {
        count = 0
        ends = time + seconds * 1000
        numbers[at + LIMIT] = limit
        numbers[at + SECONDS] = seconds
        numbers[at + ENDS] = ends
      }
      const admitted = count < limit
      if (admitted || !onlyIfAdmitted) count += added
      // Written last: if this thread dies before, the old count stays, and the request was not answered.
      numbers[at + COUNT] = count
      // Without the bound, a rounding error of the subtraction would make the header a second too long.
      const resetMs = Math.min(seconds * 1000, ends - time)
      return { admitted, limit, remaining: Math.max(0, limit - count), resetMs }
    } finally {
      table.unlock()
    }
  }

  /** Takes a slot of this thread if fewer than `most` are taken in all threads. */
  function take(keyId: string, most: number): boolean {
    const time = now()
    table.lock()
    try {
      const at = table.find(keyId, time) + IN_FLIGHT
      const taken = sum(table.numbers, at, memory.threads)
      if (taken >= most) return false
      table.numbers[at + thread] = (table.numbers[at + thread] ?? 0) + 1
      return true
    } finally {
      table.unlock()
    }
  }

  function free(keyId: string): void {
    table.lock()
    try {
      const at = table.find(keyId, now()) + IN_FLIGHT + thread
      table.numbers[at] = (table.numbers[at] ?? 0) - 1
    } finally {
      table.unlock()
    }
  }

  return {
    consume: (keyId, { requests, windowSeconds }) => add(REQUESTS, keyId, requests, windowSeconds, 1),
    tokens: (keyId, perMinute) => add(TOKENS, keyId, perMinute, TOKEN_WINDOW_SECONDS, 0),
    reserve: (keyId, perMinute, expected) =>
      add(TOKENS, keyId, perMinute, TOKEN_WINDOW_SECONDS, expected, true),
    charge(keyId, perMinute, used) {
      try {
        add(TOKENS, keyId, perMinute, TOKEN_WINDOW_SECONDS, used)
      } catch {
        // The table is full, so the next request of this key is refused too.
      }
    },
    acquire: (keyId, most) => (take(keyId, most) ? once(() => free(keyId)) : undefined),
    scope: () => 'instance',
    close: async () => {},
  } satisfies RateLimiter
}

/** Frees the slots and the lock of a thread that has ended. The main thread calls it. */
export async function freeThread(memory: LimitMemory, thread: number): Promise<void> {
  const table = openTable(memory, memory.threads)
  table.breakLock(thread + 1)
  // Waits without blocking, because this thread may have to free the lock of another ended thread.
  while (!table.tryLock()) await sleep(TRY_LOCK_MS)
  for (const at of table.all()) table.numbers[at + IN_FLIGHT + thread] = 0
  table.unlock()
}

function openTable({ table, threads }: LimitMemory, thread: number): RecordTable {
  return new RecordTable(
    table,
    thread + 1,
    (numbers, at, time) =>
      Math.max(numbers[at + REQUESTS + ENDS] ?? 0, numbers[at + TOKENS + ENDS] ?? 0) > time ||
      sum(numbers, at + IN_FLIGHT, threads) > 0,
  )
}

function sum(numbers: Float64Array, from: number, count: number): number {
  let all = 0
  for (let at = from; at < from + count; at += 1) all += numbers[at] ?? 0
  return all
}

/** A function that acts on its first call only. */
export function once(release: Release): Release {
  let isDone = false
  return function releaseOnce() {
    if (isDone) return
    isDone = true
    release()
  }
}
