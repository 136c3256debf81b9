// Counts the usage of keys in memory and writes it in batches. A batch that could not be written is kept and retried; the
// memory for it is bounded.
import type { UsageRecord, UsageStore } from './stored-usage.ts'

/** How long records are kept, in minutes: a day, and an hour for the first hour of a chart. */
const KEPT_MINUTES = 25 * 60

/** How often old records are deleted, in minutes. */
const PRUNED_EVERY_MINUTES = 10

/** Maximum records that wait to be written. Beyond it, the oldest are lost. */
const MAX_WAITING = 10_000

export type UsageRecorder = ReturnType<typeof createUsageRecorder>

export interface UsageRecorderOptions {
  readonly usage: UsageStore
  /** Interval between writes, in milliseconds. */
  readonly flushMs: number
  /** Called with the error of a failed write and the number of records lost since the last call. */
  readonly reportError: (error: unknown, lost: number) => void
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  readonly maxWaiting?: number
}

export function createUsageRecorder(options: UsageRecorderOptions) {
  const { usage, flushMs, reportError, now = Date.now, maxWaiting = MAX_WAITING } = options
  /** The counts of each minute and key, the oldest first. */
  let waiting = new Map<string, UsageRecord>()
  /** The most recent record of `waiting`, which the next count most likely uses. */
  let latest: UsageRecord | undefined
  let lost = 0
  let pruneAt = 0
  let flushing: Promise<void> | undefined
  const timer = setInterval(() => void flush(), flushMs).unref()

  /** The record of this key and minute; created if missing. */
  function recordOf(keyId: string, minute: number): UsageRecord {
    if (latest?.keyId === keyId && latest.minute === minute) return latest
    const name = `${minute} ${keyId}`
    let record = waiting.get(name)
    if (record === undefined) {
      const [oldest] = waiting.size < maxWaiting ? [] : waiting.keys()
      if (oldest !== undefined) {
        waiting.delete(oldest)
        lost += 1
      }
      record = { keyId, minute, requests: 0, tokens: 0, lastUsedAt: 0 }
      waiting.set(name, record)
    }
    latest = record
    return record
  }

  function add({ keyId, minute, requests, tokens, lastUsedAt }: UsageRecord): void {
    const record = recordOf(keyId, minute)
    record.requests += requests
    record.tokens += tokens
    record.lastUsedAt = Math.max(record.lastUsedAt, lastUsedAt)
  }

  async function write(): Promise<void> {
    const batch = waiting
    waiting = new Map()
    latest = undefined
    try {
      if (batch.size > 0) await usage.add([...batch.values()])
    } catch (error) {
      // The failed batch comes first, then the counts made meanwhile, so the oldest stays first.
      const since = waiting
      waiting = batch
      latest = undefined
      for (const record of since.values()) add(record)
      reportError(error, lost)
      lost = 0
      return
    }
    const minute = minuteOf(now())
    if (minute < pruneAt) return
    pruneAt = minute + PRUNED_EVERY_MINUTES
    await usage.prune(minute - KEPT_MINUTES).catch((error: unknown) => reportError(error, 0))
  }

  /**
   * Writes the counts and deletes old records, one write at a time; concurrent calls share it. Never rejects: failed
   * writes are reported and retried.
   */
  function flush(): Promise<void> {
    flushing ??= write().finally(() => (flushing = undefined))
    return flushing
  }

  return {
    countRequest(keyId: string): void {
      const time = now()
      const record = recordOf(keyId, minuteOf(time))
      record.requests += 1
      record.lastUsedAt = time
    },
    countTokens(keyId: string, tokens: number): void {
      const time = now()
      const record = recordOf(keyId, minuteOf(time))
      record.tokens += tokens
      record.lastUsedAt = Math.max(record.lastUsedAt, time)
    },
    flush,
    /** Writes a last time and stops. */
    async close() {
      clearInterval(timer)
      await flushing
      await flush()
    },
  }
}

function minuteOf(time: number): number {
  return Math.floor(time / 60_000)
}
