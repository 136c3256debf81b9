// Supervises processes: reports when one died, restarts it if requested, and stops all of them at the end.
import { setTimeout as sleep } from 'node:timers/promises'

/** A process that can be restarted under the same address. */
export interface Part {
  readonly name: string
  /** Resolves when it is ready; throws if it does not start. */
  start(): Promise<void>
  /** Resolves when the current process has ended. */
  ended(): Promise<void>
  kill(): Promise<void>
}

export interface SuperviseOptions {
  /** The pause before a dead part is restarted, in milliseconds; undefined: it is not restarted. */
  readonly restartMs: number | undefined
  /** Receives a line whenever a part died, recovered, or did not recover. */
  readonly report: (line: string) => void
}

/** Supervises the parts until the returned function is called, which stops them. */
export function supervise(parts: readonly Part[], { restartMs, report }: SuperviseOptions) {
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
