// The progress of a run: on a terminal one line that is replaced, from two seconds on; elsewhere a line each half minute.

import { printable } from './text.ts'

/** The silence before the first line on a terminal, and the minimum time between two updates there, in milliseconds. */
const SILENT_MS = 2_000
const REFRESH_MS = 100

/** The time between two lines if the output is not a terminal, in milliseconds. */
const LINE_MS = 30_000

/** The share of the checks after which the time left is estimated. */
const FIRST_ESTIMATE = 0.05

export interface Progress {
  /** `waitMs`: the run waits for this time, which is reported at once. */
  update(done: number, total: number, doing: string, waitMs?: number): void
  /** Clears the line of a terminal, and ends the others. */
  end(): void
}

/** Makes a progress line that counts `units`. `now` is in milliseconds. */
export function createProgress(
  stream: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown },
  now: () => number,
  units = 'checks',
): Progress {
  const isTerminal = stream.isTTY === true
  const startedAt = now()
  let shownAt = -Infinity
  let waitsUntil = -Infinity
  let line = (): string => ''
  let promised = Infinity

  /** The time left, which only falls: a slower end is said, because a person plans by the first estimate. */
  function left(seconds: number): string {
    const isLonger = seconds > 2 * promised
    promised = Math.min(promised, seconds)
    return isLonger ? ', longer than expected' : `, about ${duration(promised)} left`
  }

  function show(): void {
    const sinceMs = now() - Math.max(shownAt, startedAt)
    const isFirstWait = shownAt === -Infinity && waitsUntil - now() >= SILENT_MS
    const isDue = isTerminal
      ? now() - startedAt >= SILENT_MS && now() - shownAt >= REFRESH_MS
      : sinceMs >= LINE_MS || isFirstWait
    if (!isDue) return
    shownAt = now()
    stream.write(isTerminal ? `\r\u001b[2K${line().slice(0, (stream.columns || 80) - 1)}` : `${line()}\n`)
  }
  const timer = setInterval(show, LINE_MS).unref()

  return {
    update(done, total, doing, waitMs = 0) {
      waitsUntil = now() + waitMs
      line = () => {
        const restMs = Math.max(0, waitsUntil - now())
        const leftSeconds = ((now() - startedAt + restMs) / 1000 / done) * (total - done)
        const estimate = done / total < FIRST_ESTIMATE ? '' : left(leftSeconds)
        return `${done} of ${total} ${units}${estimate}, ${printable(doing)}${restMs > 0 ? ` for ${duration(restMs / 1000)}` : ''}`
      }
      show()
    },
    end() {
      clearInterval(timer)
      if (isTerminal && shownAt !== -Infinity) stream.write('\r\u001b[2K')
    },
  }
}

/** A time for people: seconds up to two minutes, else minutes. */
export function duration(seconds: number): string {
  return seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
}
