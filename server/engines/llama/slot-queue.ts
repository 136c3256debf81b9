// A bounded number of slots, and a bounded, fair queue in front of them: first come, first served. A request that
// needs several slots asks for one after another, so it never has more than one place in the queue.
import { unavailable } from '../../http/errors.ts'

/** When one that found the queue full may come back, in seconds. */
const RETRY_AFTER_SECONDS = 1

export interface SlotQueue {
  /**
   * Waits for a slot and gives the function that frees it, which is safe to call twice. `admitted` says that the
   * caller has held a slot before: the bound is not for it, and it takes nobody's place. Throws the 503 of a full
   * queue, or the reason of `signal`.
   */
  acquire(signal: AbortSignal, admitted?: boolean): Promise<() => void>
  /** How many wait now. */
  waiting(): number
}

/** `maxWaiting` bounds the requests that wait before their first slot. */
export function createSlotQueue({
  slots,
  maxWaiting,
}: {
  readonly slots: number
  readonly maxWaiting: number
}): SlotQueue {
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
    waiting: () => waiting.size,
    async acquire(signal, admitted = false) {
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
