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

/** The same at a start, when nobody is served whom a thread that stands still would keep waiting. */
export function whenFreeAtStart<Result>(timeoutMs: number, work: () => Result): Result {
  const deadline = performance.now() + timeoutMs
  const nobody = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error
    }
    Atomics.wait(nobody, 0, 0, RETRY_MS)
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
