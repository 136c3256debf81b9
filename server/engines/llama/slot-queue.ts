// A bounded number of slots and a bounded first-come, first-served queue. A request that needs several slots acquires them
// one after another, so it has at most one place in the queue.
import { unavailable } from '../../http/api-error.ts'

/** `Retry-After` of a full queue, in seconds. */
const RETRY_AFTER_SECONDS = 1

export type SlotQueue = ReturnType<typeof createSlotQueue>

/** `maxWaiting` bounds the requests that wait before their first slot. */
export function createSlotQueue({
  slots,
  maxWaiting,
}: {
  readonly slots: number
  readonly maxWaiting: number
}) {
  let free = slots
  const waiting = new Set<() => void>()
  let newcomers = 0

  function hold(): () => void {
    let held = true
    return function release() {
      if (!held) return
      held = false
      const [next] = waiting
      if (next === undefined) free += 1
      else next()
    }
  }

  return {
    /** Number of waiting callers. */
    waiting: () => waiting.size,
    /**
     * Waits for a slot and returns the function that frees it, which is safe to call twice. `admitted`: the caller has
     * had a slot before, so it may wait even if the queue is full, and does not count. Throws a 503 if the queue is
     * full, or the reason of `signal`.
     */
    async acquire(signal: AbortSignal, admitted = false): Promise<() => void> {
      signal.throwIfAborted()
      if (free > 0) {
        free -= 1
        return hold()
      }
      if (!admitted && newcomers >= maxWaiting) {
        throw unavailable('The model is busy: too many requests wait for it.', RETRY_AFTER_SECONDS)
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const take = () => {
        leave()
        resolve(hold())
      }
      const giveUp = () => {
        leave()
        reject(signal.reason)
      }
      function leave() {
        if (!admitted) newcomers -= 1
        waiting.delete(take)
        signal.removeEventListener('abort', giveUp)
      }
      if (!admitted) newcomers += 1
      waiting.add(take)
      signal.addEventListener('abort', giveUp)
      return await promise
    },
  }
}
