// Draws a token from a model's whole distribution, exactly as a request asks: bias, penalties, top_p, temperature, and
// a form that only some tokens fit. Pure arithmetic; the same seed draws the same tokens.

/** Stands for a probability that a float rounds to 0: about the smallest that a float holds. */
const LEAST_LOGPROB = -104

/** The biases of the format that are absolute: the token is removed, or no other is left. */
const REMOVES = -100
const EXCLUDES_OTHERS = 100
/** Above everything that logits and other biases add up to. */
const EXCLUSIVE = 1e6

export interface SamplerOptions {
  /** 0 takes the likeliest token; it applies after `topP`. */
  readonly temperature: number
  /** The likeliest tokens that reach this probability together are kept. */
  readonly topP: number
  /** From 0 to 2³² − 2. */
  readonly seed: number
  /** What is added to the log-probability of a token, from −100, which removes it, to 100, which leaves no other. */
  readonly bias: ReadonlyMap<number, number>
  /** Subtracted for each time that a token has been taken. */
  readonly frequencyPenalty: number
  /** Subtracted once a token has been taken. */
  readonly presencePenalty: number
}

export interface Sampler<T extends number = number> {
  /**
   * Draws from `distribution`, token ids with their probabilities. Of a token that `admits` rejects, the probability
   * goes to those that it does not: the draw is as from these alone, as long as `topP` keeps one of them; after that
   * it is the likeliest of them. Undefined where none is left.
   */
  draw(distribution: ReadonlyMap<T, number>, admits?: (token: T) => boolean): T | undefined
  /** Counts a token as taken, for the penalties. */
  accept(token: number): void
}

interface Candidate<T> {
  readonly token: T
  readonly logit: number
}

export function createSampler<T extends number = number>(options: SamplerOptions): Sampler<T> {
  const { temperature, topP, bias, frequencyPenalty, presencePenalty } = options
  const random = createRandom(options.seed)
  const counts = new Map<number, number>()

  function logitOf(token: number, probability: number): number {
    let logit = probability > 0 ? Math.log(probability) : LEAST_LOGPROB
    const added = bias.get(token)
    if (added === REMOVES) return -Infinity
    if (added !== undefined) logit += added === EXCLUDES_OTHERS ? EXCLUSIVE : added
    const count = counts.get(token)
    return count === undefined ? logit : logit - count * frequencyPenalty - presencePenalty
  }

  return {
    draw(distribution, admits = () => true) {
      const ranked: Candidate<T>[] = []
      for (const [token, probability] of distribution) {
        const logit = logitOf(token, probability)
        if (logit > -Infinity) ranked.push({ token, logit })
      }
      // Of equals the one with the lowest id comes first, so that a certain answer is the same everywhere.
      ranked.sort((a, b) => b.logit - a.logit || a.token - b.token)
      const kept = ranked.slice(0, nucleus(ranked, topP))
      const rest = ranked.slice(kept.length)
      // With this noise the largest is a draw, the second largest a draw from the others, and so on (Gumbel).
      const drawn =
        temperature === 0
          ? kept
          : kept.map(({ token, logit }) => ({
              token,
              logit: logit / temperature - Math.log(-Math.log(random())),
            }))
      return (largest(drawn, admits) ?? rest.find(({ token }) => admits(token)))?.token
    },
    accept(token) {
      counts.set(token, (counts.get(token) ?? 0) + 1)
    },
  }
}

/** The candidate with the largest logit that `admits` takes. The first try is nearly always it, so sorting can wait. */
function largest<T>(
  candidates: readonly Candidate<T>[],
  admits: (token: T) => boolean,
): Candidate<T> | undefined {
  const [head] = candidates
  if (head === undefined) return undefined
  const first = candidates.reduce(
    (best, candidate) => (candidate.logit > best.logit ? candidate : best),
    head,
  )
  if (admits(first.token)) return first
  return candidates.toSorted((a, b) => b.logit - a.logit).find(({ token }) => admits(token))
}

/** How many of the first candidates reach the probability `topP` together; at least one, and all for 1. */
function nucleus(ranked: readonly Candidate<unknown>[], topP: number): number {
  if (topP >= 1) return ranked.length
  const highest = ranked[0]?.logit ?? 0
  const total = ranked.reduce((sum, { logit }) => sum + Math.exp(logit - highest), 0)
  let reached = 0
  let count = 0
  for (const { logit } of ranked) {
    count += 1
    reached += Math.exp(logit - highest) / total
    if (reached >= topP) break
  }
  return count
}

/** Numbers between 0 and 1, both excluded: xoshiro128**, its state filled from the seed by splitmix32. */
export function createRandom(seed: number): () => number {
  let mixed = seed
  const state = Uint32Array.from({ length: 4 }, () => {
    mixed = (mixed + 0x9e3779b9) | 0
    let word = mixed ^ (mixed >>> 16)
    word = Math.imul(word, 0x21f0aaad)
    word = Math.imul(word ^ (word >>> 15), 0x735a2d97)
    return word ^ (word >>> 15)
  })
  return () => {
    let [a = 0, b = 0, c = 0, d = 0] = state
    const result = Math.imul(rotated(Math.imul(b, 5), 7), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    state.set([a, b, c ^ shifted, rotated(d, 11)])
    return (result + 0.5) / 2 ** 32
  }
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}
