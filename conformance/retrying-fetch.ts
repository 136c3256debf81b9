// The retry rules of the specification as a `fetch`, for clients with other rules:
// `new OpenAI({ maxRetries: 0, fetch: retryingFetch() })` (RETRY-1 to RETRY-7, RETRY-10).
import { setTimeout as sleepFor } from 'node:timers/promises'
import { nextRetry, RECOMMENDED_ATTEMPTS, type RetryLimits } from '../spec/protocol/retry.ts'

export interface RetryingFetchOptions extends Partial<RetryLimits> {
  /** The `fetch` to wrap. Default: the global one. */
  readonly fetch?: typeof fetch
  /** Waits; rejects with the signal's reason if that aborts first. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** Numbers in [0, 1) for the jitter. */
  readonly random?: () => number
}

/** The default limit of all waits of one call, in milliseconds: enough for four back-offs and their jitter. */
export const DEFAULT_TOTAL_WAIT_MS = 60_000

/**
 * Returns a `fetch` that sends a request again after 429, 500 and 503: at most `maxAttempts` attempts (default 5), and
 * waits of at most `maxTotalWaitMs` in total. An answer that cannot be retried is returned unchanged. Network errors are
 * not retried. The signal of the request also ends a wait. A body that can be read only once (a stream) is sent once: its
 * first answer is returned.
 */
export function retryingFetch(options: RetryingFetchOptions = {}): typeof fetch {
  const { fetch: send = fetch, sleep = sleepUntil, random = Math.random } = options
  const limits: RetryLimits = {
    maxAttempts: options.maxAttempts ?? RECOMMENDED_ATTEMPTS,
    maxTotalWaitMs: options.maxTotalWaitMs ?? DEFAULT_TOTAL_WAIT_MS,
  }

  return async function retryingFetch(input, init) {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    let waitedMs = 0
    for (let attempt = 0; ; attempt += 1) {
      const answer = await send(isReplayable(input) ? input : input.clone(), counted(init, attempt))
      if (answer.ok || !isReplayable(init?.body)) return answer
      const failed = {
        status: answer.status,
        retryAfter: answer.headers.get('retry-after'),
        attempt,
        waitedMs,
        random: random(),
      }
      const decision = nextRetry(failed, limits)
      if ('stop' in decision) return answer
      // The connection is free for the next attempt only after this answer has been read or cancelled.
      await answer.body?.cancel()
      await sleep(decision.waitMs, signal ?? undefined)
      waitedMs += decision.waitMs
    }
  }
}

/** The header in which the official libraries count their retries; they do not count these. */
const RETRY_COUNT = 'x-stainless-retry-count'

function counted(init: RequestInit | undefined, attempt: number): RequestInit | undefined {
  const headers = new Headers(init?.headers)
  if (!headers.has(RETRY_COUNT)) return init
  headers.set(RETRY_COUNT, String(attempt))
  return { ...init, headers }
}

/** Returns whether a body, or a request by its address, can be sent twice. */
function isReplayable<T>(value: T): value is Exclude<T, ReadableStream | Request> {
  return !(value instanceof ReadableStream) && !(value instanceof Request)
}

async function sleepUntil(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleepFor(ms, undefined, signal === undefined ? {} : { signal })
}
