// Returns memory to the system when a process is idle. V8 alone would keep it for minutes, or for ever.

/** The idle time before memory is returned, in milliseconds. */
const REST_MS = 1000

/** Minimum growth since the last collection, in bytes. */
const GROWN_BYTES = 32 * 1024 * 1024

/**
 * Call the returned function when work starts or ends. Needs `--expose-gc`, and does nothing without it. A collection blocks
 * the process for about 20 ms, so use it only in processes that have no other work while `isBusy` is false.
 */
export function createIdleCollector(isBusy: () => boolean): () => void {
  let settled = process.memoryUsage.rss()
  const timer = setTimeout(collect, REST_MS).unref()

  function collect(): void {
    if (isBusy() || process.memoryUsage.rss() < settled + GROWN_BYTES) return
    // The only kind of collection that also shrinks the heap of V8.
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    settled = process.memoryUsage.rss()
  }
  return () => timer.refresh()
}
