// A batch has its sequences in their order, takes all that fits, and never more.
import * as fc from 'fast-check'
import type { BatchItem } from 'node-llama-cpp'
import { expect, test } from 'vitest'
import { inOrderOfPlaces, placeInBatch } from './batch-order.ts'

const places = fc.uniqueArray(fc.tuple(fc.nat(99), fc.integer({ min: 1, max: 40 })), {
  selector: ([place]) => place,
  minLength: 1,
  maxLength: 20,
})

test('items are in the order of their places, each with a token or more, and fill the batch as far as they can', () => {
  fc.assert(
    fc.property(places, fc.integer({ min: 20, max: 300 }), (wanted, size) => {
      const items = wanted.map(([place, length]): BatchItem => ({
        tokens: Array.from({ length }, () => 0 as BatchItem['tokens'][number]),
        logits: [],
        evaluationPriority: placeInBatch(place),
      }))
      const batch = inOrderOfPlaces({ items, size })
      const order = batch.map(({ item }) => Number(item.evaluationPriority))
      expect(order).toEqual(wanted.map(([place]) => place).toSorted((a, b) => a - b))
      for (const { item, processAmount } of batch) {
        expect(processAmount).toBeGreaterThan(0)
        expect(processAmount).toBeLessThanOrEqual(item.tokens.length)
      }
      const all = items.reduce((sum, { tokens }) => sum + tokens.length, 0)
      expect(batch.reduce((sum, { processAmount }) => sum + processAmount, 0)).toBe(Math.min(all, size))
    }),
  )
})
