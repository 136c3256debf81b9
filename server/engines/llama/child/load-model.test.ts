import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fittingContext, LEAST_CONTEXT } from './load-model.ts'

test('a default context takes at most half of the free memory, and as much of that as halving allows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 100_000 }), fc.nat(1e9), async (wanted, free) => {
      const bytesOf = async (tokens: number): Promise<number> => tokens * 1000
      const tokens = await fittingContext(wanted, bytesOf, free)
      expect(tokens).toBeLessThanOrEqual(wanted)
      expect(tokens).toBeGreaterThanOrEqual(Math.min(wanted, LEAST_CONTEXT))
      if (tokens > LEAST_CONTEXT) expect(tokens * 1000).toBeLessThanOrEqual(free / 2)
      if (tokens < wanted) expect(2 * (tokens + 1) * 1000).toBeGreaterThan(free / 2)
    }),
  )
})
