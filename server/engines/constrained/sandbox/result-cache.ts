// Results by content, so that what was asked before costs no round trip. Bounded in entries and in characters; the one
// that was not asked for the longest time is forgotten first.
import { createHash } from 'node:crypto'

export interface ResultCache<Result> {
  get(key: string): Result | undefined
  /** Keeps `result`, which takes about `characters`; for `forMs` milliseconds where that is given. */
  set(key: string, result: Result, characters: number, forMs?: number): void
}

export interface ResultCacheBounds {
  readonly maxEntries: number
  readonly maxCharacters: number
}

interface Kept<Result> {
  readonly result: Result
  readonly characters: number
  /** In milliseconds of `performance.now()`. */
  readonly until: number
}

export function createResultCache<Result>({
  maxEntries,
  maxCharacters,
}: ResultCacheBounds): ResultCache<Result> {
  const kept = new Map<string, Kept<Result>>()
  let characters = 0

  function forget(key: string): void {
    characters -= kept.get(key)?.characters ?? 0
    kept.delete(key)
  }

  return {
    get(key) {
      const found = kept.get(key)
      if (found === undefined) return undefined
      forget(key)
      if (found.until < performance.now()) return undefined
      kept.set(key, found)
      characters += found.characters
      return found.result
    },
    set(key, result, size, forMs = Infinity) {
      forget(key)
      if (size > maxCharacters / 4) return
      kept.set(key, { result, characters: size, until: performance.now() + forMs })
      characters += size
      for (const oldest of kept.keys()) {
        if (kept.size <= maxEntries && characters <= maxCharacters) break
        forget(oldest)
      }
    },
  }
}

/** A key for any content, of always the same length. */
export function contentKey(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
