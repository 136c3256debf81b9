// One line on a terminal while a run takes longer than two seconds; nothing where no terminal reads it.

/** How long a run may be silent, and the least time between two changes of the line, in milliseconds. */
const SILENT_MS = 2_000
const REFRESH_MS = 100

export interface Progress {
  update(done: number, total: number, doing: string): void
  /** Clears the line. */
  end(): void
}

/** `now` is in milliseconds. */
export function createProgress(
  stream: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown },
  now: () => number,
): Progress {
  if (stream.isTTY !== true) return { update() {}, end() {} }
  const startedAt = now()
  let shownAt = -Infinity
  return {
    update(done, total, doing) {
      if (now() - startedAt < SILENT_MS || now() - shownAt < REFRESH_MS) return
      shownAt = now()
      const line = `${done} of ${total} checks, ${doing}`
      stream.write(`\r\u001b[2K${line.slice(0, (stream.columns || 80) - 1)}`)
    },
    end() {
      if (shownAt !== -Infinity) stream.write('\r\u001b[2K')
    },
  }
}
