// What work leaves behind goes back to the system once a process rests: of itself V8 keeps it, for minutes or for ever.

/** How long nothing may have been done before memory is given back, in milliseconds. */
const REST_MS = 1000

/** How much a process may have grown since the last time before it is worth a collection, in bytes. */
const GROWN_BYTES = 32 * 1024 * 1024

/**
 * Call what this gives whenever work begins or ends. Needs `--expose-gc`, and does nothing without it. A collection stops
 * the process for about 20 ms, so it is for those that have nobody to answer while `isBusy` is false.
 */
export function createIdleCollector(isBusy: () => boolean): () => void {
  let settled = process.memoryUsage.rss()
  const timer = setTimeout(collect, REST_MS).unref()

  function collect(): void {
    if (isBusy() || process.memoryUsage.rss() < settled + GROWN_BYTES) return
    // The only kind that also shrinks what V8 holds.
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    settled = process.memoryUsage.rss()
  }
  return () => timer.refresh()
}
