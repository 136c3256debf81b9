// Waits until a service answers, for a promise within a time, for the end of a process, and for many tasks of which a few run at
// a time.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from './clock.ts'

/** Whether the address answers, with a status that `accepts` allows; by default one of success. */
export async function answers(
  url: string,
  {
    signal,
    accepts = ({ ok }) => ok,
  }: { signal?: AbortSignal; accepts?: (answer: Response) => boolean } = {},
): Promise<boolean> {
  const answer = await fetch(url, { signal: signal ?? null }).catch(() => undefined)
  await answer?.body?.cancel()
  return answer !== undefined && accepts(answer)
}

/** Calls `isSo` every `everyMs` until it returns true or the signal is aborted. Returns whether it did. */
export async function waitsUntil(
  isSo: () => Promise<boolean>,
  { signal, everyMs = 50 }: { readonly signal: AbortSignal; readonly everyMs?: number },
): Promise<boolean> {
  while (!signal.aborted) {
    if (await isSo()) return true
    await sleep(everyMs, undefined, { signal }).catch(() => undefined)
  }
  return false
}

/** Whether the promise resolves within `ms` and before the signal is aborted. Rejects as the promise does. */
export async function settlesWithin(
  promise: Promise<unknown>,
  ms: number,
  signal?: AbortSignal,
  clock: Clock = systemClock,
): Promise<boolean> {
  const enough = new AbortController()
  const ends = signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal])
  const late = clock.sleep(ms, ends).then(
    () => false,
    () => false,
  )
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    enough.abort()
  }
}

/** Ends a process with SIGTERM, and with SIGKILL after `graceMs`. Resolves when it has ended. */
export async function stopProcess(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const kill = setTimeout(() => child.kill('SIGKILL'), graceMs)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  clearTimeout(kill)
}

/** Works on all items, `concurrency` of them at a time. Returns the results in the order of the items. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const waiting = items.entries()
  const results: Result[] = []
  const workOn = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: concurrency }, workOn))
  return results
}
