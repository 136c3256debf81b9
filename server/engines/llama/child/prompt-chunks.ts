// In what chunks a prompt is evaluated, and how much of it can stay in the prefix cache for the next one. llama.cpp computes a chunk in
// a way that may depend on its length: then only whole chunks at fixed places can be cached, since a prompt that is cut
// elsewhere would be answered by other digits. With most formats of weights it does not, and any beginning can be cached.
// Which it is is not assumed but tried, when a model is loaded.
import type { BatchedSequence } from './batch-scheduler.ts'

export interface PromptChunking {
  /**
   * Tokens that are evaluated together: many enough to be fast, few enough that other answers go on between them, and
   * that an abort is noticed soon. The last chunk of a prompt has up to one more, and never only one: a single token is
   * computed in a way of its own behind a long beginning.
   */
  readonly size: number
  /** Whether it makes no difference, not in the last bit, if a prompt is cut into chunks of two tokens and more. */
  readonly anywhere: boolean
}

/** The assumption for a model on a GPU, or one for which the trial takes too long. */
export const LARGE_CHUNKS: PromptChunking = { size: 32, anywhere: false }

/**
 * If the length of a chunk matters, chunks are short, so that little of a known beginning is evaluated again. A
 * processor takes as long for each token, as long as the weights are not what it waits for.
 */
const WHOLE_CHUNKS: PromptChunking = { size: 8, anywhere: false }
const ANY_CHUNKS: PromptChunking = { size: 16, anywhere: true }

export interface PromptChunk {
  /** Where in the prompt it ends. */
  readonly end: number
  /** How much of the prompt can be cached when it is evaluated. */
  readonly cacheable: number
}

/** The chunks of a prompt of `length` tokens of which the first `known` are evaluated already; at least one. */
export function chunkPrompt(
  length: number,
  known: number,
  { size, anywhere }: PromptChunking,
): [...PromptChunk[], PromptChunk] {
  const whole: PromptChunk[] = []
  let at = known
  while (length - at > size + 1) {
    at += size
    whole.push({ end: at, cacheable: at })
  }
  // A longer prompt is not cut at the end of this one.
  return [...whole, { end: length, cacheable: anywhere ? length : at }]
}

/** The same tokens, cut in different ways: into chunks that fill rows of eight, and into others of many lengths. */
const CUTS = [
  [32, 11],
  [3, 26, 14],
  [7, 5, 4, 6, 10, 11],
] as const
const PROBE_TOKENS = 43

/** Tries it on a sequence with room for 43 tokens, of which it leaves none. `vocabularySize` bounds their ids. */
export async function probeChunking(
  sequence: BatchedSequence,
  vocabularySize: number,
): Promise<PromptChunking> {
  const probe = Array.from({ length: PROBE_TOKENS }, (_, index) => (index * 7919) % vocabularySize)
  const reported: ReadonlyMap<number, number>[] = []
  for (const lengths of CUTS) {
    await sequence.keep(0)
    let at = 0
    for (const length of lengths) {
      await sequence.evaluate(probe.slice(at, at + length), at + length === PROBE_TOKENS)
      at += length
    }
    reported.push(await sequence.distribution())
  }
  await sequence.keep(0)
  const [first, ...others] = reported
  return others.every((other) => isSame(other, first)) ? ANY_CHUNKS : WHOLE_CHUNKS
}

function isSame(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number> | undefined): boolean {
  return b !== undefined && a.size === b.size && a.entries().every(([token, value]) => b.get(token) === value)
}
