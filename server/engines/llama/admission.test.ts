// A request that can never be answered is refused at once, however long the queue is.
import { describe, expect, it } from 'vitest'
import { answerTo, ask, useTinyEngine } from './llama.fixture.ts'

describe('a prompt that cannot fit', { tags: 'llama', timeout: 60_000 }, () => {
  const engine = useTinyEngine({ slots: 1, maxWaiting: 1, contextTokens: 8192 })

  it('is refused before the queue, which is full', async () => {
    const abort = new AbortController()
    // All other tokens are removed, so nothing ends this answer but its limit.
    const endless = ask({ max_tokens: 7000, logit_bias: { 71: 100 } })
    const running = answerTo(engine(), endless, abort.signal).catch(() => undefined)
    const waiting = answerTo(engine(), ask(), abort.signal).catch(() => undefined)
    await expect.poll(() => [...engine().queued().values()]).toEqual([1])
    const long = ask({ messages: [{ role: 'user', content: 'x'.repeat(1_000_000) }] })
    await expect(async () => answerTo(engine(), long)).rejects.toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
    })
    await expect(answerTo(engine(), ask())).rejects.toMatchObject({ status: 503 })
    abort.abort()
    await Promise.all([running, waiting])
  })
})
