// Values that are loaded at their first use, shared while in use, and unloaded after an idle time.

export interface IdleCacheOptions<T> {
  load(id: string): Promise<T>
  unload(value: T, id: string): Promise<void>
  /** The idle time after which a value is unloaded, in milliseconds; null for never. */
  readonly idleMs: number | null
}

interface Entry<T> {
  readonly value: Promise<T>
  users: number
  idle?: NodeJS.Timeout
}

export type IdleCache<T> = ReturnType<typeof createIdleCache<T>>

export function createIdleCache<T>({ load, unload, idleMs }: IdleCacheOptions<T>) {
  const entries = new Map<string, Entry<T>>()
  /** Values that are being unloaded: a value must never exist twice. */
  const leaving = new Map<string, Promise<void>>()

  async function loadAfterUnload(id: string): Promise<T> {
    await leaving.get(id)
    return load(id)
  }

  function startUnload(id: string, value: T): void {
    entries.delete(id)
    const unloaded = unload(value, id).finally(() => leaving.delete(id))
    // A value that failed to unload may be loaded again.
    leaving.set(
      id,
      unloaded.catch(() => {}),
    )
  }

  return {
    /**
     * The value of `id`, loaded if necessary. It stays until each user has released it; releasing twice is safe. Throws the
     * error of the loading; the next call tries again.
     */
    async take(id: string): Promise<{ readonly value: T; release(): void }> {
      const entry: Entry<T> = entries.get(id) ?? { value: loadAfterUnload(id), users: 0 }
      entries.set(id, entry)
      entry.users += 1
      clearTimeout(entry.idle)
      try {
        const value = await entry.value
        let held = true
        return {
          value,
          release() {
            if (!held) return
            held = false
            entry.users -= 1
            if (entry.users > 0 || idleMs === null) return
            entry.idle = setTimeout(() => startUnload(id, value), idleMs).unref()
          },
        }
      } catch (error) {
        if (entries.get(id) === entry) entries.delete(id)
        throw error
      }
    },
  }
}
