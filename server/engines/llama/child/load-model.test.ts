import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createTinyEngine } from '../llama.fixture.ts'
import type { ModelFacts } from '../process/process-messages.ts'
import { fittingContext, LEAST_CONTEXT } from './load-model.ts'

test('a default context is as long as the memory allows, in steps, and as the model was trained', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 100_000 }), fc.nat(1e8), async (wanted, memory) => {
      const bytesOf = async (tokens: number): Promise<number> => tokens * 1000
      const tokens = await fittingContext(wanted, bytesOf, memory)
      expect(tokens).toBeLessThanOrEqual(wanted)
      expect(tokens).toBeGreaterThanOrEqual(Math.min(wanted, LEAST_CONTEXT))
      if (tokens > LEAST_CONTEXT) expect(tokens * 1000).toBeLessThanOrEqual(memory)
      if (tokens < wanted) expect((tokens + LEAST_CONTEXT) * 1000).toBeGreaterThan(memory)
    }),
  )
})

/** The training of the bundled model. */
const TRAINED = 8192

describe('the context of a model', { tags: 'llama', timeout: 60_000 }, () => {
  it.each([
    ['as trained by default', { contextTokens: null }, TRAINED, false],
    ['as trained, if the memory suffices', { contextTokens: null, contextBytes: 1e9 }, TRAINED, false],
    ['shorter, if it does not', { contextTokens: null, contextBytes: 8_000_000 }, 3840, true],
    ['the least, if there is none', { contextTokens: null, contextBytes: 1 }, LEAST_CONTEXT, true],
    ['as requested', { contextTokens: 4096, contextBytes: 1 }, 4096, false],
    ['not beyond the training', { contextTokens: 100_000 }, TRAINED, false],
  ])('is %s', async (_, options, contextTokens, contextShrunk) => {
    let facts: ModelFacts | undefined
    const engine = createTinyEngine({ ...options, onLoaded: (loaded) => void (facts = loaded) })
    await engine.loaded
    await engine.close()
    expect(facts).toMatchObject({ contextTokens, contextShrunk, trainedContextTokens: TRAINED })
  })
})
