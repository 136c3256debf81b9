// Divides a prompt into the chunks in which it is evaluated, and decides how much of it the prefix cache keeps. The
// last digits that llama.cpp computes may depend on the length of a chunk. Then only whole chunks at fixed positions
// can be cached, because a prompt that is cut elsewhere would get another answer. With most formats of weights they do
// not depend on it, and any beginning can be cached. Each model is probed for this when it is loaded.
import type { BatchedSequence } from './batch-scheduler.ts'

export interface PromptChunking {
  /**
   * The number of tokens that are evaluated together: large enough to be fast, and small enough that other answers are not
   * delayed. The last chunk of a prompt has up to one more, and never only one: llama.cpp computes a single token behind a
   * long beginning differently. If no other answer waits and chunks can be cut anywhere, the last chunk has up to a block.
   */
  readonly size: number
  /** Whether cutting a prompt into chunks of two or more tokens changes no bit of the result. */
  readonly anywhere: boolean
  /**
   * The number of blocks that may be evaluated together; 0 if there are no blocks. If it is above 1, cutting them at
   * any token changes nothing, as long as each has at least `BLOCK` tokens.
   */
  readonly blocks: number
}

/**
 * The number of tokens from which llama.cpp computes attention for many tokens at once, with other last digits. This takes
 * less than half the time behind a long beginning. So a prompt begins with blocks, which begin at multiples of this number.
 */
export const BLOCK = 64

/**
 * The blocks end at a multiple of this number, and at least this number of tokens follow them. Another prompt of about the
 * same length with another question at its end then reuses all before the question. A larger number would take more time,
 * see `BLOCK`.
 */
export const TAIL = 32

/** The number of tokens at the end of a prompt that are always evaluated, because the answer continues from their logits. */
const LEAST_LEFT = 2

/** The assumption for a model on a GPU, or one for which the trial takes too long. */
export const LARGE_CHUNKS: PromptChunking = { size: 32, anywhere: false, blocks: 0 }

/**
 * If the length of a chunk matters, chunks are short, so that little of a known beginning is evaluated again. This costs
 * little: a processor takes the same time for each token, unless it waits for the weights.
 */
const WHOLE_CHUNKS = { size: 8, anywhere: false }
const ANY_CHUNKS = { size: 16, anywhere: true }

export interface PromptChunk {
  /** The position in the prompt at which it ends. */
  readonly end: number
  /** The number of tokens of the prompt that can be cached after its evaluation. */
  readonly cacheable: number
  /** Whether it consists of blocks, which get batches of their own because llama.cpp would cut them in a shared one. */
  readonly isApart: boolean
}

/**
 * The next chunk of a prompt of `length` tokens of which the first `known` are evaluated; `isAlone`: no other answer is
 * in flight.
 */
export function nextChunk(
  length: number,
  known: number,
  isAlone: boolean,
  { size, anywhere, blocks }: PromptChunking,
): PromptChunk {
  const blocksEnd = endOfBlocks(length, blocks)
  if (known < blocksEnd) {
    const next = known + (isAlone ? blocks : 1) * BLOCK
    const end = next + BLOCK > blocksEnd ? blocksEnd : next
    return { end, cacheable: end, isApart: true }
  }
  const most = isAlone && anywhere ? BLOCK - 1 : size + 1
  if (length - known > most) return { end: known + size, cacheable: known + size, isApart: false }
  // The last chunk is not cached, because a longer prompt would not be cut here.
  return { end: length, cacheable: anywhere ? length : known, isApart: false }
}

/**
 * The number of `common` tokens, evaluated as the beginning of a prompt of `evaluatedFor` tokens, that a prompt of
 * `length` tokens reuses: those that it would compute in the same way, and never the whole prompt.
 */
export function reusable(
  common: number,
  { evaluatedFor, length }: { readonly evaluatedFor: number; readonly length: number },
  { size, anywhere, blocks }: PromptChunking,
): number {
  const most = Math.min(common, length - LEAST_LEFT)
  const [then, now] = [endOfBlocks(evaluatedFor, blocks), endOfBlocks(length, blocks)]
  if (then === now && most >= now) return multipleOf(anywhere ? 1 : size, most)
  if (blocks <= 1) return multipleOf(BLOCK, Math.min(most, then - BLOCK, now - BLOCK))
  if (most >= now && then > now) return now
  // At least one block remains to be evaluated.
  return Math.max(0, Math.min(most, then, now - BLOCK))
}

/** The number of tokens of a prompt that are evaluated in blocks. */
function endOfBlocks(length: number, blocks: number): number {
  const end = multipleOf(TAIL, length - TAIL)
  return blocks === 0 || end < BLOCK ? 0 : end
}

/** The largest multiple of `grain` that is at most `most`, and at least 0. */
function multipleOf(grain: number, most: number): number {
  return Math.max(0, most - (most % grain))
}

/** Several ways to cut one prompt: one chunk of the maximum length, and chunks of many lengths. */
const CUTS = [[BLOCK - 1], [3, 26, 34], [7, 5, 4, 6, 10, 31]] as const

/** The maximum number of blocks that are evaluated together, which is one batch of llama.cpp. */
const MOST_BLOCKS = 7
const BLOCK_CUTS = [[BLOCK + 11, BLOCK + 3], [2 * BLOCK + 14]] as const

export interface ChunkProbeOptions {
  /** The number of token ids. */
  readonly vocabularySize: number
  /** Maximum tokens of a batch, and of the sequence. */
  readonly room: number
  /** Whether blocks are tried together, which takes three times as long as the rest. */
  readonly triesBlocks: boolean
}

/** Probes how prompts of a model can be cut, on a sequence with room for a block; the sequence is empty afterwards. */
export async function probeChunking(
  sequence: BatchedSequence,
  { vocabularySize, room, triesBlocks }: ChunkProbeOptions,
): Promise<PromptChunking> {
  const chunks = (await makesNoDifference(CUTS)) ? ANY_CHUNKS : WHOLE_CHUNKS
  if (room < 3 * BLOCK) return { ...chunks, blocks: 0 }
  // The last one is up to twice as long.
  const most = Math.min(MOST_BLOCKS, Math.floor(room / BLOCK) - 1)
  return { ...chunks, blocks: triesBlocks && (await makesNoDifference(BLOCK_CUTS)) ? most : 1 }

  async function makesNoDifference(cuts: readonly (readonly number[])[]): Promise<boolean> {
    const reported: ReadonlyMap<number, number>[] = []
    for (const lengths of cuts) {
      await sequence.keep(0)
      let at = 0
      for (const [place, length] of lengths.entries()) {
        const tokens = Array.from({ length }, (_, index) => ((at + index) * 7919) % vocabularySize)
        await sequence.evaluate(tokens, { toGoOn: place === lengths.length - 1 })
        at += length
      }
      reported.push(await sequence.distribution())
    }
    await sequence.keep(0)
    const [first, ...others] = reported
    return others.every((other) => isSame(other, first))
  }
}

function isSame(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number> | undefined): boolean {
  return b !== undefined && a.size === b.size && a.entries().every(([token, value]) => b.get(token) === value)
}
