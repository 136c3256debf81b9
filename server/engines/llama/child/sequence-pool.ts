// The sequences of a model, each of which keeps what was evaluated of its last prompt. A prompt that begins as that one
// did is evaluated from there on. Only what would be computed in the very same way again is kept (see prompt-pieces.ts),
// so what is kept never changes an answer.

/** Tokens of a prompt that are evaluated in any case: an answer goes on from them. */
const LEAST_LEFT = 2

export interface Place<T> {
  /** The sequence's place in the context, from 0. */
  readonly index: number
  /** What was evaluated of the last prompt; whoever holds the place keeps this true. */
  kept: readonly T[]
}

export interface SequencePool<T> {
  /**
   * Takes the free place that keeps most of `prompt`; of equals, one between or beside those in use, since llama.cpp
   * evaluates only neighbours together; then the one that was free for longest. `common` is how many tokens of the
   * prompt are kept: a multiple of `grain`, and never all of the prompt. Undefined where none is free.
   */
  take(prompt: readonly T[]): { readonly place: Place<T>; readonly common: number } | undefined
  give(place: Place<T>): void
}

/** Prompts are kept up to a multiple of `grain` tokens. */
export function createSequencePool<T>(sequences: number, grain: number): SequencePool<T> {
  // In the order in which they became free.
  const free: Place<T>[] = Array.from({ length: sequences }, (_, index) => ({ index, kept: [] }))
  const used = new Set<number>()
  const neighboursOf = ({ index }: Place<T>): number =>
    Number(used.has(index - 1)) + Number(used.has(index + 1))

  return {
    take(prompt) {
      const [first, ...others] = free.map((place) => ({
        place,
        common: multipleOf(grain, Math.min(commonLength(place.kept, prompt), prompt.length - LEAST_LEFT)),
        neighbours: neighboursOf(place),
      }))
      if (first === undefined) return undefined
      const best = others.reduce(
        (best, other) =>
          other.common > best.common || (other.common === best.common && other.neighbours > best.neighbours)
            ? other
            : best,
        first,
      )
      free.splice(free.indexOf(best.place), 1)
      used.add(best.place.index)
      return { place: best.place, common: best.common }
    },
    give(place) {
      used.delete(place.index)
      free.push(place)
    },
  }
}

/** The largest one up to `most`, from 0. */
function multipleOf(grain: number, most: number): number {
  return Math.max(0, most - (most % grain))
}

function commonLength<T>(kept: readonly T[], prompt: readonly T[]): number {
  const different = kept.findIndex((token, index) => token !== prompt[index])
  return different === -1 ? kept.length : different
}
