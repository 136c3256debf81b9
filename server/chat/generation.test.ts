// One timer ends all answers that take too long: each at its own time, whenever the others began and ended.
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import type { Deltas, Engine } from '../engines/engine.ts'
import { createGenerations } from './generation.ts'

const TIMEOUT_MS = 1000
const request: ChatCompletionRequest = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** An engine whose answers begin and never end by themselves; tells when each was aborted. */
function endless() {
  const abortedAt: number[] = []
  const engine: Engine = {
    models: [],
    async *generate(_, { signal, requestId }): AsyncGenerator<Deltas> {
      signal.addEventListener('abort', () => (abortedAt[Number(requestId)] = performance.now()))
      yield [{ type: 'text', index: 0, text: 'a' }]
      await new Promise(() => {})
    },
    async close() {},
  }
  return { engine, abortedAt }
}

const answers = fc.array(fc.record({ after: fc.nat(700), endsAfter: fc.option(fc.nat(999)) }), {
  minLength: 1,
  maxLength: 8,
})

test('each answer is ended at its own time, and none that was done before', async () => {
  await fc.assert(
    fc.asyncProperty(answers, async (all) => {
      const { engine, abortedAt } = endless()
      const generations = createGenerations({ timeoutMs: TIMEOUT_MS, maxAnswerBytes: 1_000_000 })
      const expected: (number | undefined)[] = []
      for (const [index, { after, endsAfter }] of all.entries()) {
        await vi.advanceTimersByTimeAsync(after)
        expected.push(endsAfter === null ? performance.now() + TIMEOUT_MS : undefined)
        const generation = await generations.start(engine, request, {
          requestId: String(index),
          client: { hasLeft: false, onLeave() {} },
          onTokens() {},
        })
        if (endsAfter !== null) setTimeout(() => generation.end(), endsAfter)
      }
      await vi.advanceTimersByTimeAsync(2 * TIMEOUT_MS)
      for (const [index, at] of expected.entries()) {
        if (at === undefined) expect(abortedAt[index]).toBeUndefined()
        else expect(Math.abs((abortedAt[index] ?? NaN) - at)).toBeLessThanOrEqual(1)
      }
    }),
    { numRuns: 50 },
  )
})
