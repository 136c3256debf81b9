// A model that computes a chunk of a prompt in a way that depends on its length is found out, and so is one that does not;
// what is kept is only what would be cut in the same way again.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BatchedSequence } from './batch-scheduler.ts'
import {
  BLOCK,
  nextChunk,
  type PromptChunk,
  type PromptChunking,
  probeChunking,
  reusable,
  TAIL,
} from './prompt-chunks.ts'
import { createSequencePool } from './sequence-pool.ts'

/** A sequence whose last digit depends on the chunks as `digitOf` says. */
function sequenceOf(digitOf: (lengths: readonly number[]) => number) {
  const evaluated: number[][] = []
  let tokens: number[] = []
  let lengths: number[] = []
  const sequence: Pick<BatchedSequence, 'keep' | 'evaluate' | 'distribution'> = {
    async keep(length) {
      expect(length).toBe(0)
      tokens = []
      lengths = []
    },
    async evaluate(chunk) {
      expect(chunk.length).toBeGreaterThan(1)
      tokens.push(...chunk)
      lengths.push(chunk.length)
    },
    async distribution() {
      evaluated.push(tokens)
      return new Map([
        [1, 0.5],
        [2, 0.25 + digitOf(lengths)],
      ])
    },
  }
  return { sequence: sequence as BatchedSequence, evaluated, left: () => tokens }
}

const PROBE = { vocabularySize: 300, room: 512, triesBlocks: true }

test('where chunks of any length give the same, any beginning can be cached', async () => {
  const { sequence, evaluated, left } = sequenceOf(() => 0)
  expect(await probeChunking(sequence, PROBE)).toMatchObject({ anywhere: true })
  expect(evaluated.length).toBeGreaterThan(1)
  const alike = Map.groupBy(evaluated, ({ length }) => length)
  for (const [first, ...others] of alike.values()) for (const other of others) expect(other).toEqual(first)
  expect(evaluated.flat().every((token) => token >= 0 && token < 300)).toBe(true)
  expect(left()).toEqual([])
})

test.each([
  ['whether it is short', (length: number) => Number(length < 16)],
  ['whether it fills rows of four', (length: number) => length % 4],
  ['its length', (length: number) => length ** 2],
  ['one length only', (length: number) => Number(length === 5)],
])('if the logits depend on %s, only whole chunks can be', async (_, digitOf) => {
  const digits = (lengths: readonly number[]): number =>
    lengths.reduce((sum, length) => sum + digitOf(length) * Number.EPSILON, 0)
  const { sequence } = sequenceOf(digits)
  expect(await probeChunking(sequence, PROBE)).toMatchObject({ anywhere: false })
})

test.each([
  ['makes no difference', () => 0, {}, 7],
  ['makes no difference', () => 0, { room: 5 * BLOCK }, 4],
  ['makes a difference', (length: number) => Number(length > 2 * BLOCK), {}, 1],
  [
    'makes one wherever they are cut',
    (length: number) => Number(length >= BLOCK && length % BLOCK > 0),
    {},
    1,
  ],
  ['is not tried', () => 0, { triesBlocks: false }, 1],
  ['does not fit', () => 0, { room: 3 * BLOCK - 1 }, 0],
])(
  'blocks of a long prompt are evaluated together only if that is tried and %s',
  async (_, digitOf, less, blocks) => {
    const digits = (lengths: readonly number[]): number =>
      lengths.reduce((sum, length) => sum + digitOf(length) * Number.EPSILON, 0)
    const { sequence } = sequenceOf(digits)
    expect(await probeChunking(sequence, { ...PROBE, ...less })).toMatchObject({ blocks })
  },
)

/** The chunks of a prompt. */
function chunksOf(
  length: number,
  known: number,
  chunking: PromptChunking,
  isAlone = (): boolean => true,
): [PromptChunk, ...PromptChunk[]] {
  const chunk = nextChunk(length, known, isAlone(), chunking)
  return chunk.end === length ? [chunk] : [chunk, ...chunksOf(length, chunk.end, chunking, isAlone)]
}

/**
 * Describes the chunk in which each token of a prompt is evaluated by its borders. Chunks whose borders are known to make
 * no difference are described without them.
 */
function bordersOf(
  length: number,
  known: number,
  chunking: PromptChunking,
  isAlone?: () => boolean,
): string[] {
  let start = known
  return chunksOf(length, known, chunking, isAlone).flatMap(({ end, isApart }) => {
    if (isApart) expect(end - start).toBeGreaterThanOrEqual(BLOCK)
    const isFree = isApart ? chunking.blocks > 1 : chunking.anywhere
    const border = `${isApart ? 'block' : 'small chunk'}${isFree ? '' : ` from ${start} to ${end}`}`
    const borders = Array<string>(end - start).fill(border)
    start = end
    return borders
  })
}

const zeros = fc.constantFrom(20, 40, 60, 200, 300)
const prompts = fc.array(
  fc
    .array(fc.tuple(zeros, fc.nat(1)), { minLength: 1, maxLength: 8 })
    .map((parts) => parts.flatMap(([count, end]) => [...Array<number>(count).fill(0), end])),
  { minLength: 2, maxLength: 8 },
)

test.each([
  { size: 2, anywhere: false, blocks: 0 },
  { size: 3, anywhere: false, blocks: 0 },
  { size: 8, anywhere: false, blocks: 1 },
  { size: 8, anywhere: false, blocks: 4 },
  { size: 16, anywhere: true, blocks: 1 },
  { size: 16, anywhere: true, blocks: 4 },
])('what is kept was evaluated in the way in which it is evaluated afresh: %o', (chunking) => {
  fc.assert(
    fc.property(prompts, fc.infiniteStream(fc.boolean()), (asked, alone) => {
      const pool = createSequencePool<number>(1, (common, lengths) => reusable(common, lengths, chunking))
      let borders: string[] = []
      for (const prompt of asked) {
        const taken = pool.take(prompt)
        if (taken === undefined) throw new Error('the slot was free')
        const { slot, common } = taken
        const isAlone = (): boolean => alone.next().value === true
        borders = [...borders.slice(0, common), ...bordersOf(prompt.length, common, chunking, isAlone)]
        expect(borders).toEqual(bordersOf(prompt.length, 0, chunking))
        slot.cached = prompt.slice(0, chunksOf(prompt.length, common, chunking).at(-1)?.cacheable)
        slot.evaluatedFor = prompt.length
        pool.release(slot)
      }
    }),
  )
})

test('no chunk is of one token, longer than its size and one more beside others, or longer than its blocks', () => {
  const lengths = fc.oneof(fc.integer({ min: 2, max: 200 }), fc.integer({ min: 200, max: 1200 }))
  fc.assert(
    fc.property(lengths, fc.nat(98), fc.boolean(), fc.boolean(), (length, most, anywhere, isAlone) => {
      const chunking = { size: 16, anywhere, blocks: 4 }
      const known = reusable(most, { evaluatedFor: length, length }, chunking)
      const [longestBlocks, longest] = isAlone
        ? [5 * BLOCK - 1, anywhere ? BLOCK - 1 : 17]
        : [2 * BLOCK - 1, 17]
      let start = known
      for (const { end, cacheable, isApart } of chunksOf(length, known, chunking, () => isAlone)) {
        expect(end - start).toBeGreaterThan(1)
        expect(end - start).toBeLessThanOrEqual(isApart ? longestBlocks : longest)
        expect(cacheable).toBeLessThanOrEqual(end)
        start = end
      }
      expect(start).toBe(length)
    }),
  )
})

test('a short prompt has no blocks, and any other reuses a common beginning but for a block and its tail', () => {
  const chunking = { size: 16, anywhere: true, blocks: 4 }
  expect(chunksOf(BLOCK + TAIL - 1, 0, chunking).every(({ isApart }) => !isApart)).toBe(true)
  expect(chunksOf(BLOCK + TAIL, 0, chunking)[0]).toEqual({ end: BLOCK, cacheable: BLOCK, isApart: true })
  const long = fc.integer({ min: BLOCK + TAIL, max: 4000 })
  fc.assert(
    fc.property(long, long, fc.nat(4000), (evaluatedFor, length, shared) => {
      const common = Math.min(shared, evaluatedFor, length)
      const reused = reusable(common, { evaluatedFor, length }, chunking)
      expect(reused).toBeLessThanOrEqual(length - 2)
      expect(reused).toBeGreaterThan(Math.min(common, length - 2) - BLOCK - 2 * TAIL)
    }),
  )
})

test('a prompt with another question reuses all before it if that is as long, and all blocks if it is shorter', () => {
  const chunking = { size: 16, anywhere: true, blocks: 4 }
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 4000 }),
      fc.integer({ min: 2, max: TAIL }),
      (length, question) => {
        const common = length - question
        expect(reusable(common, { evaluatedFor: length, length }, chunking)).toBe(common)
        const ofLonger = reusable(common, { evaluatedFor: length + TAIL, length }, chunking)
        expect(ofLonger).toBeGreaterThanOrEqual(length - 2 * TAIL)
      },
    ),
  )
})
