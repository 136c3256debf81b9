// Deadlines of things that all have the same time, with one timer for the earliest.

export interface Deadlines<Item> {
  /** Starts the time of an item, or starts it again. */
  start(item: Item): void
  /** Ends it before its deadline. */
  end(item: Item): void
  has(item: Item): boolean
  /** The items in flight, the oldest first. */
  items(): Iterable<Item>
}

/** Calls `onLate` once for each item that has not ended `timeoutMs` after its start. */
export function createDeadlines<Item>(timeoutMs: number, onLate: (item: Item) => void): Deadlines<Item> {
  /** The deadlines, the earliest first: in milliseconds of `performance.now()`. */
  const open = new Map<Item, number>()
  let timer: NodeJS.Timeout | undefined

  function endLate(): void {
    timer = undefined
    const now = performance.now()
    for (const [item, deadline] of open) {
      // A timer may fire a fraction of a millisecond early.
      if (deadline - now >= 1) return void (timer = setTimeout(endLate, deadline - now).unref())
      open.delete(item)
      onLate(item)
    }
  }

  return {
    start(item) {
      open.delete(item)
      open.set(item, performance.now() + timeoutMs)
      timer ??= setTimeout(endLate, timeoutMs).unref()
    },
    end: (item) => void open.delete(item),
    has: (item) => open.has(item),
    items: () => open.keys(),
  }
}
