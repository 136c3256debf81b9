// The sequences of a model, each of which keeps what was evaluated of its last prompt. A prompt that begins as that one
// did is evaluated from there on. Only whole chunks at fixed places are kept: evaluated again they would be computed in
// the very same way, so what is kept never changes an answer.

export interface Place<S, T> {
  readonly sequence: S
  /** Evaluated chunks of the last prompt; whoever holds the place keeps this true. */
  kept: readonly T[]
}

export interface SequencePool<S, T> {
  /**
   * Takes the free place that keeps most of `prompt`; of equals, the one that was free for longest. `common` is how
   * many tokens of the prompt are kept: whole chunks, and never all of the prompt. Undefined where none is free.
   */
  take(prompt: readonly T[]): { readonly place: Place<S, T>; readonly common: number } | undefined
  give(place: Place<S, T>): void
}

/** `chunk` is the tokens that are evaluated together. */
export function createSequencePool<S, T>(sequences: readonly S[], chunk: number): SequencePool<S, T> {
  // In the order in which they became free.
  const free: Place<S, T>[] = sequences.map((sequence) => ({ sequence, kept: [] }))
  return {
    take(prompt) {
      let best = 0
      let most = -1
      for (const [index, { kept }] of free.entries()) {
        const common = commonLength(kept, prompt)
        if (common > most) [best, most] = [index, common]
      }
      const [place] = free.splice(best, 1)
      if (place === undefined) return undefined
      return { place, common: wholeChunks(Math.min(most, prompt.length - 1), chunk) }
    },
    give(place) {
      free.push(place)
    },
  }
}

/** How much of `length` tokens is whole chunks. */
export function wholeChunks(length: number, chunk: number): number {
  return Math.max(0, length - (length % chunk))
}

function commonLength<T>(kept: readonly T[], prompt: readonly T[]): number {
  const different = kept.findIndex((token, index) => token !== prompt[index])
  return different === -1 ? kept.length : different
}
