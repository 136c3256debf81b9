// One line on a terminal during a run that takes longer than two seconds; nothing if the output is not a terminal.

/** The silence before the first line, and the minimum time between two updates, in milliseconds. */
const SILENT_MS = 2_000
const REFRESH_MS = 100

/** The share of the checks after which the time left is estimated. */
const FIRST_ESTIMATE = 0.05

export interface Progress {
  update(done: number, total: number, doing: string): void
  /** Clears the line. */
  end(): void
}

/** Makes a progress line that counts `units`. `now` is in milliseconds. */
export function createProgress(
  stream: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown },
  now: () => number,
  units = 'checks',
): Progress {
  if (stream.isTTY !== true) return { update() {}, end() {} }
  const startedAt = now()
  let shownAt = -Infinity
  return {
    update(done, total, doing) {
      const elapsedMs = now() - startedAt
      if (elapsedMs < SILENT_MS || now() - shownAt < REFRESH_MS) return
      shownAt = now()
      const leftSeconds = (elapsedMs / 1000 / done) * (total - done)
      const left = done / total < FIRST_ESTIMATE ? '' : `, about ${duration(leftSeconds)} left`
      const line = `${done} of ${total} ${units}${left}, ${doing}`
      stream.write(`\r\u001b[2K${line.slice(0, (stream.columns || 80) - 1)}`)
    },
    end() {
      if (shownAt !== -Infinity) stream.write('\r\u001b[2K')
    },
  }
}

/** A time for people: seconds up to two minutes, else minutes. */
export function duration(seconds: number): string {
  return seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
}
