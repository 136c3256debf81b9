// Watches processes that should run: says when one died, starts it again where that is wanted, and ends them all.
import { setTimeout as sleep } from 'node:timers/promises'

/** A process that is started again under the same address. */
export interface Part {
  readonly name: string
  /** Resolves when it can be used; throws where it does not come up. */
  start(): Promise<void>
  /** Resolves when the process that runs now has ended. */
  ended(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
}

export interface SuperviseOptions {
  /** The pause before what died is started again, in milliseconds; undefined: it stays dead. */
  readonly restartMs: number | undefined
  /** Hears a line whenever something died, came back, or did not. */
  readonly report: (line: string) => void
}

/** Watches the parts until the function that it returns is called, which ends them. */
export function supervise(
  parts: readonly Part[],
  { restartMs, report }: SuperviseOptions,
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping

  async function restart(part: Part, pauseMs: number): Promise<void> {
    for (;;) {
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      try {
        await part.start()
        return report(`${part.name} is back`)
      } catch (error) {
        report(error instanceof Error ? error.message : String(error))
      }
    }
  }

  async function watch(part: Part): Promise<void> {
    while (!signal.aborted) {
      await part.ended()
      if (signal.aborted) return
      report(`${part.name} died`)
      if (restartMs === undefined) return
      await restart(part, restartMs)
    }
    await part.kill()
  }

  const watches = parts.map(watch)
  return async function stop() {
    stopping.abort()
    for (const part of parts) await part.kill()
    await Promise.all(watches)
  }
}
