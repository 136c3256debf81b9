// A thread that counts limits as fast as it can, or ends at a bad moment.
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { createMemoryRateLimiter, type LimitMemory } from './memory-limiter.ts'
import { RecordTable } from './record-table.ts'

export interface Order {
  readonly memory: LimitMemory
  readonly thread: number
  readonly keys: readonly string[]
  /** Requests for each key. */
  readonly requests: number
  readonly limit: number
  /** Slots of each key. */
  readonly slots: number
  /** Ends when it has taken a slot of each key, with the lock if `locked`. */
  readonly dies?: 'free' | 'locked'
}

export interface Counted {
  /** The admitted requests of each key. */
  readonly admitted: readonly number[]
  /** How often a slot was taken, of all keys. */
  readonly taken: number
}

if (!isMainThread && parentPort !== null) {
  const { memory, thread, keys, requests, limit, slots, dies }: Order = workerData
  const limiter = createMemoryRateLimiter(undefined, memory, thread)
  if (dies !== undefined) {
    for (const key of keys) limiter.acquire(key, slots)
    if (dies === 'locked') new RecordTable(memory.table, thread + 1, () => true).lock()
    process.exit(1)
  }
  const admitted = keys.map(() => 0)
  let taken = 0
  for (let count = 0; count < requests; count += 1)
    for (const [place, key] of keys.entries()) {
      if (limiter.consume(key, { requests: limit, windowSeconds: 3600 }).admitted)
        admitted[place] = (admitted[place] ?? 0) + 1
      const release = limiter.acquire(key, slots)
      if (release !== undefined) taken += 1
      release?.()
    }
  parentPort.postMessage({ admitted, taken } satisfies Counted, [])
}
