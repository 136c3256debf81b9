// What each key is used for: counted in memory, one addition a request, and written in batches. A batch that could
// not be written is kept and tried again; what memory holds is bounded whatever the database does.
import type { UsageRecord, UsageStore } from './storage.ts'

/** How long minutes are kept: a day, and an hour for whoever reads the day before. */
const KEPT_MINUTES = 25 * 60

/** How often old minutes are forgotten, in minutes. */
const PRUNED_EVERY_MINUTES = 10

/** Records, of one key and minute each, that wait to be written; over it the oldest are lost. */
const MAX_WAITING = 10_000

export interface UsageRecorder {
  /** Counts a request with this key. */
  countRequest(keyId: string): void
  countTokens(keyId: string, tokens: number): void
  /** Writes what was counted, and forgets what is old. Never rejects: what failed is reported and kept. */
  flush(): Promise<void>
  /** Writes a last time and ends. */
  close(): Promise<void>
}

export interface UsageRecorderOptions {
  readonly usage: UsageStore
  /** How long a count waits before it is written, in milliseconds. */
  readonly flushMs: number
  /** Called with what could not be written, and how many records were lost since the last call. */
  readonly reportError: (error: unknown, lost: number) => void
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  readonly maxWaiting?: number
}

type Counted = { -readonly [Field in keyof UsageRecord]: UsageRecord[Field] }

export function createUsageRecorder(options: UsageRecorderOptions): UsageRecorder {
  const { usage, flushMs, reportError, now = Date.now, maxWaiting = MAX_WAITING } = options
  /** By minute and key, the oldest first. */
  let waiting = new Map<string, Counted>()
  /** The record that was asked for last, as it mostly is again; one of `waiting`. */
  let latest: Counted | undefined
  let lost = 0
  let pruneAt = 0
  let flushing: Promise<void> | undefined
  const timer = setInterval(() => void flush(), flushMs).unref()

  /** The record of this key and minute, made where there is none. */
  function recordOf(keyId: string, minute: number): Counted {
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
      // First what failed, then what was counted meanwhile, so that the oldest stays first.
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

  /** One write at a time: whoever asks meanwhile waits for the one in flight. */
  function flush(): Promise<void> {
    flushing ??= write().finally(() => (flushing = undefined))
    return flushing
  }

  return {
    countRequest(keyId) {
      const time = now()
      const record = recordOf(keyId, minuteOf(time))
      record.requests += 1
      record.lastUsedAt = time
    },
    countTokens(keyId, tokens) {
      const time = now()
      const record = recordOf(keyId, minuteOf(time))
      record.tokens += tokens
      record.lastUsedAt = Math.max(record.lastUsedAt, time)
    },
    flush,
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
