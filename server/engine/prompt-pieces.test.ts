// A model that computes a piece of a prompt in a way that depends on its length is found out, and so is one that does not.
import { expect, test } from 'vitest'
import type { BatchedSequence } from './llama-batches.ts'
import { tryPieces } from './prompt-pieces.ts'

/** A sequence whose last digit depends on the pieces as `digitOf` says. */
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
    async evaluate(piece) {
      expect(piece.length).toBeGreaterThan(1)
      tokens.push(...piece)
      lengths.push(piece.length)
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

test('where pieces of any length give the same, any beginning can be kept', async () => {
  const { sequence, evaluated, left } = sequenceOf(() => 0)
  expect(await tryPieces(sequence, 300)).toMatchObject({ anywhere: true })
  expect(evaluated.length).toBeGreaterThan(1)
  for (const tokens of evaluated) expect(tokens).toEqual(evaluated[0])
  expect(evaluated.flat().every((token) => token >= 0 && token < 300)).toBe(true)
  expect(left()).toEqual([])
})

test.each([
  ['whether it is short', (length: number) => Number(length < 16)],
  ['whether it fills rows of four', (length: number) => length % 4],
  ['its length', (length: number) => length ** 2],
])('where it depends on %s, only whole pieces can be', async (_, digitOf) => {
  const digits = (lengths: readonly number[]): number =>
    lengths.reduce((sum, length) => sum + digitOf(length) * Number.EPSILON, 0)
  const { sequence } = sequenceOf(digits)
  expect(await tryPieces(sequence, 300)).toMatchObject({ anywhere: false })
})
