// A model that computes a chunk of a prompt in a way that depends on its length is found out, and so is one that does not;
// what is kept is only what would be cut in the same way again.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BatchedSequence } from './batch-scheduler.ts'
import { chunkPrompt, type PromptChunking, probeChunking } from './prompt-chunks.ts'
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

test('where chunks of any length give the same, any beginning can be cached', async () => {
  const { sequence, evaluated, left } = sequenceOf(() => 0)
  expect(await probeChunking(sequence, 300)).toMatchObject({ anywhere: true })
  expect(evaluated.length).toBeGreaterThan(1)
  for (const tokens of evaluated) expect(tokens).toEqual(evaluated[0])
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
  expect(await probeChunking(sequence, 300)).toMatchObject({ anywhere: false })
})

/** In which chunk, by its borders, each token of a prompt is evaluated. */
function bordersOf(length: number, known: number, chunks: PromptChunking): string[] {
  let start = known
  return chunkPrompt(length, known, chunks).flatMap(({ end }) => {
    const borders = Array.from({ length: end - start }, () => `${start} to ${end}`)
    start = end
    return borders
  })
}

const prompts = fc.array(
  fc.array(fc.nat(1), { minLength: 1, maxLength: 60 }).map((end) => Array<number>(20).fill(0).concat(end)),
  { minLength: 2, maxLength: 8 },
)

test.each([2, 3, 8])('what is kept in whole chunks of %d was cut as it is cut afresh', (size) => {
  fc.assert(
    fc.property(prompts, (asked) => {
      const chunks = { size, anywhere: false }
      const pool = createSequencePool<number>(1, size)
      let borders: string[] = []
      for (const prompt of asked) {
        const taken = pool.take(prompt)
        if (taken === undefined) throw new Error('the slot was free')
        const { slot, common } = taken
        borders = [...borders.slice(0, common), ...bordersOf(prompt.length, common, chunks)]
        expect(borders).toEqual(bordersOf(prompt.length, 0, chunks))
        slot.cached = prompt.slice(0, chunkPrompt(prompt.length, common, chunks).at(-1)?.cacheable)
        pool.release(slot)
      }
    }),
  )
})

test('no chunk is of one token, or longer than one more than its size', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 100 }), fc.nat(98), fc.boolean(), (length, most, anywhere) => {
      const known = Math.min(most, length - 2)
      let start = known
      for (const { end, cacheable } of chunkPrompt(length, known, { size: 16, anywhere })) {
        expect(end - start).toBeGreaterThan(1)
        expect(end - start).toBeLessThanOrEqual(17)
        expect(cacheable).toBeLessThanOrEqual(end)
        start = end
      }
      expect(start).toBe(length)
    }),
  )
})
