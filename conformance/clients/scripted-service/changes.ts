// Waits for the next change of a scenario.

export function createChanges() {
  const waiting = new Map<string, Set<() => void>>()
  return {
    /** Reports that a scenario has changed. */
    notify(name: string): void {
      for (const resolve of waiting.get(name) ?? []) resolve()
      waiting.delete(name)
    },
    /** Resolves at the next change, or when the signal is aborted. */
    async next(name: string, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const own = waiting.get(name) ?? new Set()
      waiting.set(name, own.add(resolve))
      signal.addEventListener('abort', () => resolve(), { once: true })
      await promise
      own.delete(resolve)
    },
  }
}
