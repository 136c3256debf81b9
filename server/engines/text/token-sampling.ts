// Draws a token from a model's whole distribution, exactly as a request asks: bias, penalties, top_p, temperature, and
// a grammar that only some tokens match. Pure arithmetic; the same seed draws the same tokens.

/** Stands for a probability that a float rounds to 0: about the smallest that a float holds. */
const LEAST_LOGPROB = -104

/** The absolute biases of the format: the token is removed, or it is the only one left. */
export const REMOVES = -100
export const EXCLUDES_OTHERS = 100
/** More than any sum of logits and other biases. */
const EXCLUSIVE = 1e6

export interface TokenSamplerOptions {
  /** 0 takes the likeliest token; it applies after `topP`. */
  readonly temperature: number
  /** Keeps the likeliest tokens that together have at least this probability. */
  readonly topP: number
  /** An integer from 0 to 2³² − 2. */
  readonly seed: number
  /** Values added to the log-probability of a token, from −100, which removes it, to 100, which leaves no other. */
  readonly bias: ReadonlyMap<number, number>
  /** Subtracted for each time that a token has been taken. */
  readonly frequencyPenalty: number
  /** Subtracted once a token has been taken. */
  readonly presencePenalty: number
}

export function createSampler<T extends number = number>(options: TokenSamplerOptions) {
  const { temperature, topP, bias, frequencyPenalty, presencePenalty } = options
  const random = createRandom(options.seed)
  const counts = new Map<number, number>()
  // Reused for each draw, because a vocabulary is large and new arrays would burden the garbage collector.
  const tokens: T[] = []
  let logits = new Float64Array(0)

  function logitOf(token: number, probability: number): number {
    let logit = probability > 0 ? Math.log(probability) : LEAST_LOGPROB
    if (bias.size === 0 && counts.size === 0) return logit
    const added = bias.get(token)
    if (added === REMOVES) return -Infinity
    if (added !== undefined) logit += added === EXCLUDES_OTHERS ? EXCLUSIVE : added
    const count = counts.get(token)
    return count === undefined ? logit : logit - count * frequencyPenalty - presencePenalty
  }

  /** Copies the tokens that can be drawn, and returns their number. */
  function take(distribution: ReadonlyMap<T, number>): number {
    if (logits.length < distribution.size) logits = new Float64Array(distribution.size)
    let size = 0
    distribution.forEach((probability, token) => {
      const logit = logitOf(token, probability)
      if (logit === -Infinity) return
      tokens[size] = token
      logits[size] = logit
      size += 1
    })
    tokens.length = size
    return size
  }

  /** Adds Gumbel noise: the largest value is then a draw, the second largest a draw from the others, and so on. */
  function noisy(logit: number): number {
    return temperature === 0 ? logit : logit / temperature - Math.log(-Math.log(random()))
  }

  /**
   * The tokens of `distribution`, token ids with their probabilities, in the order of a draw without replacement: the
   * first admitted token is a draw from the admitted tokens, as long as `topP` keeps one of them; the other tokens
   * follow by their probabilities. Read it before the next draw.
   */
  function* order(distribution: ReadonlyMap<T, number>): Generator<T> {
    const size = take(distribution)
    if (topP >= 1) {
      for (let place = 0; place < size; place += 1) logits[place] = noisy(logits[place] ?? 0)
      yield* createRanking(tokens, logits).rest()
      return
    }
    const ranking = createRanking(tokens, logits)
    const kept = nucleus(ranking, logits.subarray(0, size), topP)
    const drawn = createRanking(
      kept.map(({ token }) => token),
      Float64Array.from(kept, ({ logit }) => noisy(logit)),
    )
    yield* drawn.rest()
    yield* ranking.rest()
  }

  return {
    order,
    /** Counts a token as taken, for the penalties. */
    accept(token: number): void {
      if (frequencyPenalty === 0 && presencePenalty === 0) return
      counts.set(token, (counts.get(token) ?? 0) + 1)
    },
  }
}

interface Ranked<T> {
  readonly token: T
  readonly logit: number
}

type Ranking<T extends number> = ReturnType<typeof createRanking<T>>

/**
 * Ranks tokens by their logits, the largest first, with a heap, because few are ever read. Of equal ones the lowest id
 * comes first, so that the order is the same on every machine.
 */
function createRanking<T extends number>(tokens: readonly T[], logits: Float64Array) {
  let size = tokens.length
  const heap = new Uint32Array(size)
  for (let place = 0; place < size; place += 1) heap[place] = place

  function isBefore(a: number, b: number): boolean {
    const difference = (logits[a] ?? 0) - (logits[b] ?? 0)
    return difference === 0 ? (tokens[a] ?? 0) < (tokens[b] ?? 0) : difference > 0
  }
  /** Moves the token at `place` down in the heap, below those that rank before it. */
  function sink(place: number): void {
    const moved = heap[place] ?? 0
    let at = place
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && isBefore(heap[child + 1] ?? 0, heap[child] ?? 0)) child += 1
      const below = heap[child] ?? 0
      if (!isBefore(below, moved)) break
      heap[at] = below
      at = child
    }
    heap[at] = moved
  }
  for (let place = (size >> 1) - 1; place >= 0; place -= 1) sink(place)

  function next(): Ranked<T> | undefined {
    const first = heap[0] ?? 0
    const token = tokens[first]
    if (size === 0 || token === undefined) return undefined
    size -= 1
    heap[0] = heap[size] ?? 0
    sink(0)
    return { token, logit: logits[first] ?? 0 }
  }

  return {
    next,
    /** The remaining tokens. */
    *rest(): Generator<T> {
      for (let ranked = next(); ranked !== undefined; ranked = next()) yield ranked.token
    },
  }
}

/** The first tokens of the ranking that together reach the probability `topP`; at least one. */
function nucleus<T extends number>(ranking: Ranking<T>, logits: Float64Array, topP: number): Ranked<T>[] {
  const first = ranking.next()
  if (first === undefined) return []
  const weightOf = (logit: number): number => Math.exp(logit - first.logit)
  const total = logits.reduce((sum, logit) => sum + weightOf(logit), 0)
  const kept = [first]
  let reached = 1 / total
  while (reached < topP) {
    const further = ranking.next()
    if (further === undefined) break
    kept.push(further)
    reached += weightOf(further.logit) / total
  }
  return kept
}

/** Numbers between 0 and 1, both excluded: xoshiro128**, its state filled from the seed by splitmix32. */
export function createRandom(seed: number): () => number {
  let mixed = seed
  let [a = 0, b = 0, c = 0, d = 0] = Array.from({ length: 4 }, () => {
    mixed = (mixed + 0x9e3779b9) | 0
    let word = mixed ^ (mixed >>> 16)
    word = Math.imul(word, 0x21f0aaad)
    word = Math.imul(word ^ (word >>> 15), 0x735a2d97)
    return word ^ (word >>> 15)
  })
  return () => {
    const result = Math.imul(rotated(Math.imul(b, 5), 7), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = rotated(d, 11)
    return (result + 0.5) / 2 ** 32
  }
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}
