// The sequences of a model, each with a prefix cache: the evaluated part of its last prompt. Only the rest of a prompt
// with the same beginning is evaluated. The cache keeps only values that would be computed in exactly the same way
// again (see prompt-chunks.ts), so it never changes an answer.

export interface CacheSlot<T> {
  /** The sequence's slot in the context, from 0. */
  readonly index: number
  /** The evaluated part of the last prompt; the user of the slot updates it. */
  cached: readonly T[]
  /** The length of that whole prompt, which decides how it was cut into chunks. */
  evaluatedFor: number
}

/** Returns how many of `common` tokens can be reused (see prompt-chunks.ts). */
export type Reusable = (
  common: number,
  lengths: { readonly evaluatedFor: number; readonly length: number },
) => number

export type SequencePool<T> = ReturnType<typeof createSequencePool<T>>

export function createSequencePool<T>(sequences: number, reusable: Reusable) {
  // In the order in which they became free.
  const free: CacheSlot<T>[] = Array.from({ length: sequences }, (_, index) => ({
    index,
    cached: [],
    evaluatedFor: 0,
  }))
  const used = new Set<number>()
  const neighboursOf = ({ index }: CacheSlot<T>): number =>
    Number(used.has(index - 1)) + Number(used.has(index + 1))

  return {
    /**
     * Takes the free slot that has most of `prompt` cached; of equals, one next to those in use, since llama.cpp
     * evaluates only neighbours together; then the one that was free for longest. `common` is the number of cached
     * tokens that the prompt reuses. Undefined if every sequence is in use.
     */
    take(prompt: readonly T[]): { readonly slot: CacheSlot<T>; readonly common: number } | undefined {
      // Sorting leaves equals in the order in which they became free.
      const [best] = free
        .map((slot) => ({
          slot,
          common: reusable(commonLength(slot.cached, prompt), {
            evaluatedFor: slot.evaluatedFor,
            length: prompt.length,
          }),
          neighbours: neighboursOf(slot),
        }))
        .toSorted((a, b) => b.common - a.common || b.neighbours - a.neighbours)
      if (best === undefined) return undefined
      free.splice(free.indexOf(best.slot), 1)
      used.add(best.slot.index)
      return { slot: best.slot, common: best.common }
    },
    release(slot: CacheSlot<T>): void {
      used.delete(slot.index)
      free.push(slot)
    },
  }
}

function commonLength<T>(cached: readonly T[], prompt: readonly T[]): number {
  const different = cached.findIndex((token, index) => token !== prompt[index])
  return different === -1 ? cached.length : different
}
