// A queue in which nobody waits behind the crowd of another: keys take turns, each key's own entries in their order.

export interface FairQueue<Entry> {
  /** Entries that wait. */
  size(): number
  /** Adds an entry of `key` at the end of its line; false where the queue, or the line of the key, is full. */
  add(key: string, entry: Entry): boolean
  /** Removes an entry that waits. */
  remove(key: string, entry: Entry): void
  /** Takes the first entry of the next key in turn that `mayRun` admits; undefined where there is none. */
  take(mayRun: (key: string) => boolean): { readonly key: string; readonly entry: Entry } | undefined
  /** Removes and returns all. */
  clear(): Entry[]
}

export interface FairQueueBounds {
  readonly maxWaiting: number
  readonly maxWaitingOfOneKey: number
}

export function createFairQueue<Entry>({
  maxWaiting,
  maxWaitingOfOneKey,
}: FairQueueBounds): FairQueue<Entry> {
  /** By key, in the order of their turns; no line is empty. */
  const lines = new Map<string, Set<Entry>>()
  let size = 0

  function remove(key: string, entry: Entry): void {
    const line = lines.get(key)
    if (line?.delete(entry) !== true) return
    size -= 1
    if (line.size === 0) lines.delete(key)
  }

  return {
    size: () => size,
    add(key, entry) {
      const line = lines.get(key) ?? new Set()
      if (size >= maxWaiting || line.size >= maxWaitingOfOneKey) return false
      lines.set(key, line.add(entry))
      size += 1
      return true
    },
    remove,
    take(mayRun) {
      for (const [key, line] of lines) {
        if (!mayRun(key)) continue
        const [entry] = line
        if (entry === undefined) continue
        remove(key, entry)
        // To the end of the turns.
        if (line.size > 0) {
          lines.delete(key)
          lines.set(key, line)
        }
        return { key, entry }
      }
      return undefined
    },
    clear() {
      const entries = lines
        .values()
        .flatMap((line) => line)
        .toArray()
      lines.clear()
      size = 0
      return entries
    },
  }
}
