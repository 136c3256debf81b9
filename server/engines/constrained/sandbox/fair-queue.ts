// A fair queue: keys take turns, and the entries of one key stay in order.

export function createFairQueue<Entry>({
  maxWaiting,
  maxWaitingOfOneKey,
}: {
  readonly maxWaiting: number
  readonly maxWaitingOfOneKey: number
}) {
  /** The lines of the keys, in the order of their turns; no line is empty. */
  const lines = new Map<string, Set<Entry>>()
  let size = 0

  /** Removes a waiting entry. Returns whether it was there. */
  function remove(key: string, entry: Entry): boolean {
    const line = lines.get(key)
    if (line?.delete(entry) !== true) return false
    size -= 1
    if (line.size === 0) lines.delete(key)
    return true
  }

  return {
    size: () => size,
    /** Adds an entry at the end of the line of `key`; false if the queue or that line is full. */
    add(key: string, entry: Entry): boolean {
      const line = lines.get(key) ?? new Set()
      if (size >= maxWaiting || line.size >= maxWaitingOfOneKey) return false
      lines.set(key, line.add(entry))
      size += 1
      return true
    },
    remove,
    /** Takes the first entry of the next key that `mayRun` admits; undefined if there is none. */
    take(mayRun: (key: string) => boolean): { readonly key: string; readonly entry: Entry } | undefined {
      for (const [key, line] of lines) {
        if (!mayRun(key)) continue
        const [entry] = line
        if (entry === undefined) continue
        remove(key, entry)
        // The key goes to the end of the turns.
        if (line.size > 0) {
          lines.delete(key)
          lines.set(key, line)
        }
        return { key, entry }
      }
      return undefined
    },
    clear(): Entry[] {
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
