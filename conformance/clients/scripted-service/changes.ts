// Waits for the next change of a scenario.
export interface Changes {
  /** Reports that a scenario has changed. */
  notify(name: string): void
  /** Resolves at the next change, or when the signal is aborted. */
  next(name: string, signal: AbortSignal): Promise<void>
}

export function createChanges(): Changes {
  const waiting = new Map<string, Set<() => void>>()
  return {
    notify(name) {
      for (const resolve of waiting.get(name) ?? []) resolve()
      waiting.delete(name)
    },
    async next(name, signal) {
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
