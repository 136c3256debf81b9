// Waits for another process that is writing to the same file, without the event loop standing still meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '../../http/errors.ts'

/** How long the lock is left alone between two attempts, in milliseconds. */
const RETRY_MS = 10

/** Runs what touches the file, again while another process holds its lock. */
export type WhenFree = <Result>(work: () => Result) => Promise<Result>

/** After `timeoutMs` of attempts it rejects with a 503. */
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

/** The primary code of SQLITE_BUSY; what stands in the bits above says why. */
const SQLITE_BUSY = 5

function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === SQLITE_BUSY
  )
}
