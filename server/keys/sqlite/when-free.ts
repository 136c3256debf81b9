// Waits for another process that is writing to the same file without blocking the event loop.
import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '../../http/api-error.ts'

/** The pause between two attempts, in milliseconds. */
const RETRY_MS = 10

/** Runs `work`, and repeats it while another process holds the lock. */
export type WhenFree = <Result>(work: () => Result) => Promise<Result>

/** `whenFree` rejects with a 503 after `timeoutMs`. */
export function createWhenFree(timeoutMs: number): WhenFree {
  return async function whenFree(work) {
    const deadline = performance.now() + timeoutMs
    for (;;) {
      try {
        return work()
      } catch (error) {
        if (!isBusy(error)) throw error
        if (performance.now() >= deadline)
          throw unavailable('The key database is busy: another process is writing to it.', 1, error)
      }
      await sleep(RETRY_MS)
    }
  }
}

/** Repeats `work` at the start of the process, when blocking the thread delays no request. */
export function whenFreeAtStart<Result>(timeoutMs: number, work: () => Result): Result {
  const deadline = performance.now() + timeoutMs
  const neverNotified = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error
    }
    Atomics.wait(neverNotified, 0, 0, RETRY_MS)
  }
}

/** The primary code of SQLITE_BUSY; the higher bits hold the reason. */
const SQLITE_BUSY = 5

function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === SQLITE_BUSY
  )
}
