// Values that are loaded when somebody first needs them, shared while they are used, and unloaded when nobody has used
// them for a while.

export interface IdleCache<T> {
  /**
   * The value of `id`, loaded if it is not there. It stays until everybody has released it, which is safe to do
   * twice. Throws what the loading throws; the next one tries again.
   */
  take(id: string): Promise<{ readonly value: T; release(): void }>
}

export interface IdleCacheOptions<T> {
  load(id: string): Promise<T>
  unload(value: T, id: string): Promise<void>
  /** How long a value that nobody uses is kept, in milliseconds; null for ever. */
  readonly idleMs: number | null
}

interface Entry<T> {
  readonly value: Promise<T>
  users: number
  idle?: NodeJS.Timeout
}

export function createIdleCache<T>({ load, unload, idleMs }: IdleCacheOptions<T>): IdleCache<T> {
  const entries = new Map<string, Entry<T>>()
  /** What is being unloaded: there must never be two of one. */
  const leaving = new Map<string, Promise<void>>()

  async function loadAfterUnload(id: string): Promise<T> {
    await leaving.get(id)
    return load(id)
  }

  function startUnload(id: string, value: T): void {
    entries.delete(id)
    const gone = unload(value, id).finally(() => leaving.delete(id))
    // A value that fails to unload is loaded again all the same.
    leaving.set(
      id,
      gone.catch(() => {}),
    )
  }

  return {
    async take(id) {
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
