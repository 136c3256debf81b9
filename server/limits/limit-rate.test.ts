// The limits of a key as a client sees them: which requests count, what a refusal says, and that every slot is freed.
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorEnvelope } from '../../spec/protocol/error.ts'
import { ECHO_MODEL } from '../engines/echo/echo.ts'
import type { Engine } from '../engines/engine.ts'
import { createMemoryRateLimiter } from './memory-limiter.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { createTestService } from '../app.fixture.ts'

const CHAT = '/v1/chat/completions'
const hello = { model: ECHO_MODEL, messages: [{ role: 'user', content: 'hello' }] }

async function refusal(answer: Response) {
  const { error } = errorEnvelope.parse(await answer.json())
  return { status: answer.status, ...error, retryAfter: answer.headers.get('retry-after') }
}

/** A limiter that remembers how often slots were taken and freed. */
function watchedLimiter(): RateLimiter & { taken: number; freed: number } {
  const limiter = createMemoryRateLimiter()
  const watched = {
    ...limiter,
    taken: 0,
    freed: 0,
    async acquire(keyId: string, most: number) {
      const release = await limiter.acquire(keyId, most)
      if (release === undefined) return undefined
      watched.taken += 1
      return () => {
        watched.freed += 1
        release()
      }
    },
  }
  return watched
}

/** A limiter whose clock stands still. */
const stoppedLimiter = () => createMemoryRateLimiter(() => 0)

/** An engine that answers when its gate opens, and counts its requests. */
function gatedEngine() {
  const gate = Promise.withResolvers<void>()
  const seen = { requests: 0 }
  const engine: Engine = {
    models: [{ id: 'gated', created: 0, ownedBy: 'test' }],
    async *generate() {
      seen.requests += 1
      await gate.promise
      yield [{ type: 'finish', index: 0, reason: 'stop' }]
      yield [{ type: 'usage', usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }]
    },
    close: async () => {},
  }
  return { engine, seen, open: gate.resolve }
}

describe('what counts', () => {
  test.each([
    ['an answer', 'POST', CHAT, hello, 200],
    ['a bad body', 'POST', CHAT, '{', 400],
    ['an unknown model', 'POST', CHAT, { ...hello, model: 'none' }, 404],
    ['an unknown path', 'GET', '/v1/nowhere', undefined, 404],
    ['the list of models', 'GET', '/v1/models', undefined, 200],
  ] as const)('%s with a valid key counts', async (_, method, path, body, status) => {
    const { send } = await createTestService({ rateLimit: { requests: 2 } })
    for (const remaining of ['1', '0']) {
      const answer = await send(method, path, body)
      expect(answer.status).toBe(status)
      expect(answer.headers.get('x-ratelimit-remaining-requests')).toBe(remaining)
    }
    expect((await send(method, path, body)).status).toBe(429)
  })

  test('a request without a valid key counts for no key', async () => {
    const { send, secret } = await createTestService({ rateLimit: { requests: 1 } })
    for (const wrong of [null, `Bearer ${secret}x`, `bearer ${secret}`]) {
      const answer = await send('POST', CHAT, hello, wrong)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('x-ratelimit-limit-requests')).toBeNull()
    }
    expect((await send('POST', CHAT, hello)).status).toBe(200)
  })

  test('refusals never reach the engine and do not extend the window', async () => {
    const { engine, seen, open } = gatedEngine()
    open()
    let now = 0
    const { send } = await createTestService({
      engines: [engine],
      limiter: createMemoryRateLimiter(() => now),
      rateLimit: { requests: 3, windowSeconds: 1 },
    })
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => send('POST', CHAT, { ...hello, model: 'gated' })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(seen.requests).toBe(3)
    now = 1000
    expect((await send('POST', CHAT, hello)).status).toBe(200)
  })
})

test('the headers of an answer and the Retry-After of a refusal agree', async () => {
  const { send } = await createTestService({
    limiter: stoppedLimiter(),
    rateLimit: { requests: 1, windowSeconds: 7 },
  })
  const reported = (answer: Response): (string | null)[] =>
    ['limit', 'remaining', 'reset'].map((what) => answer.headers.get(`x-ratelimit-${what}-requests`))
  expect(reported(await send('GET', '/v1/models'))).toEqual(['1', '0', '7s'])
  const refused = await send('GET', '/v1/models')
  expect(reported(refused)).toEqual(['1', '0', '7s'])
  expect(await refusal(refused)).toMatchObject({
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    retryAfter: '7',
  })
})

describe('tokens', () => {
  const spend = { ...hello, messages: [{ role: 'user', content: 'x'.repeat(20) }] }

  test('are charged when they are known, streamed or not, and refuse requests once they are used', async () => {
    const { send } = await createTestService({
      limiter: stoppedLimiter(),
      rateLimit: { tokensPerMinute: 100 },
    })
    for (const [stream, remaining] of [
      [false, '100'],
      [true, '60'],
      [false, '20'],
    ] as const) {
      const answer = await send('POST', CHAT, { ...spend, stream })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-ratelimit-limit-tokens')).toBe('100')
      expect(answer.headers.get('x-ratelimit-remaining-tokens')).toBe(remaining)
      await answer.text()
    }
    const refused = await send('POST', CHAT, spend)
    expect(refused.headers.get('x-ratelimit-remaining-tokens')).toBe('0')
    expect(refused.headers.get('x-ratelimit-reset-tokens')).toBe('60s')
    expect(await refusal(refused)).toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      retryAfter: '60',
    })
  })

  test.each([true, false])(
    'of many at once only those are admitted that find some left (stream: %s)',
    async (stream) => {
      const { engine, seen, open } = gatedEngine()
      const { send } = await createTestService({ engines: [engine], rateLimit: { tokensPerMinute: 10 } })
      const body = { model: 'gated', stream, messages: [{ role: 'user', content: 'x'.repeat(8000) }] }
      let answered = 0
      const answers = Array.from({ length: 40 }, () =>
        send('POST', CHAT, body).finally(() => (answered += 1)),
      )
      // The one that is admitted is answered when its engine may go on; with a stream, its first delta waits too.
      await expect.poll(() => answered).toBe(39)
      open()
      const statuses = (await Promise.all(answers)).map(({ status }) => status)
      expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 39 }, () => 429)])
      for (const answer of await Promise.all(answers)) {
        if (answer.status === 429) {
          expect(answer.headers.get('x-ratelimit-remaining-tokens')).toBe('0')
          expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
        }
        await answer.text()
      }
      expect(seen.requests).toBe(1)
    },
  )

  test('unused reserved tokens are refunded, also if the request is refused or fails', async () => {
    const { send } = await createTestService({
      limiter: stoppedLimiter(),
      rateLimit: { tokensPerMinute: 100 },
    })
    const left = async () => (await send('GET', '/v1/models')).headers.get('x-ratelimit-remaining-tokens')
    await (await send('POST', CHAT, { ...spend, max_tokens: 20_000 })).text()
    await expect.poll(left).toBe('60')
    expect((await send('POST', CHAT, { ...spend, audio: { voice: 'x', format: 'wav' } })).status).toBe(400)
    const ordered = { ...hello, messages: [{ role: 'user', content: '#fault status=500' }] }
    expect((await send('POST', CHAT, ordered)).status).toBe(500)
    await expect.poll(left).toBe('60')
  })

  test('a refusal for two limits reports the longer wait', async () => {
    const { send } = await createTestService({
      limiter: stoppedLimiter(),
      rateLimit: { requests: 2, windowSeconds: 5, tokensPerMinute: 1 },
    })
    expect((await send('POST', CHAT, spend)).status).toBe(200)
    for (let round = 0; round < 2; round++)
      expect(await refusal(await send('POST', CHAT, spend))).toMatchObject({ retryAfter: '60' })
  })

  test("a key's own limit wins, and keys do not share tokens", async () => {
    const { send, createKey } = await createTestService({ rateLimit: { tokensPerMinute: 1 } })
    const { secret } = await createKey({ tokensPerMinute: 1000 })
    expect((await send('POST', CHAT, spend)).status).toBe(200)
    expect((await send('POST', CHAT, spend)).status).toBe(429)
    for (let round = 0; round < 3; round++)
      expect((await send('POST', CHAT, spend, `Bearer ${secret}`)).status).toBe(200)
  })
})

describe('concurrent requests', () => {
  test('requests over the limit are refused for a second and never reach the engine', async () => {
    const { engine, seen, open } = gatedEngine()
    const { send, createKey } = await createTestService({ engines: [engine], rateLimit: { concurrency: 2 } })
    const body = { ...hello, model: 'gated' }
    const underWay = [false, true].map((stream) => send('POST', CHAT, { ...body, stream }))
    await expect.poll(() => seen.requests).toBe(2)
    const refused = await send('GET', '/v1/models')
    expect(await refusal(refused)).toMatchObject({
      status: 429,
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
      retryAfter: '1',
    })
    expect(seen.requests).toBe(2)
    const { secret } = await createKey()
    expect((await send('GET', '/v1/models', undefined, `Bearer ${secret}`)).status).toBe(200)
    open()
    for (const answer of await Promise.all(underWay)) await answer.text()
    expect((await send('GET', '/v1/models')).status).toBe(200)
  })

  test('consecutive requests, streamed or not, are admitted with a limit of one', async () => {
    const { send } = await createTestService({ rateLimit: { concurrency: 1 } })
    for (let round = 0; round < 100; round++) {
      const answer = await send('POST', CHAT, { ...hello, stream: round % 2 === 0 })
      expect(answer.status).toBe(200)
      await answer.text()
    }
  })

  test('a slot is freed exactly once, however its request ends', async () => {
    const limiter = watchedLimiter()
    const service = await createTestService({ limiter, timeoutMs: 150, rateLimit: { concurrency: 1000 } })
    const { port } = service

    /** Sends a chat request and reads its answer; with `leaveAfterMs` the client disconnects after this time. */
    async function exchange(content: string, more: object = {}, leaveAfterMs?: number): Promise<void> {
      const outgoing = request({
        port,
        path: CHAT,
        method: 'POST',
        headers: { authorization: `Bearer ${service.secret}`, 'content-type': 'application/json' },
      })
      const closed = new Promise((resolve) => outgoing.on('close', resolve))
      outgoing.on('error', () => {})
      outgoing.on('response', (answer) => answer.on('error', () => {}).resume())
      outgoing.end(
        JSON.stringify({ model: ECHO_MODEL, messages: [{ role: 'user', content }], stream: true, ...more }),
      )
      if (leaveAfterMs !== undefined) setTimeout(() => outgoing.destroy(), leaveAfterMs)
      await closed
    }

    const plain = { stream: false }
    const long = 'x'.repeat(100_000)
    const endings = {
      'a plain answer': () => exchange('hello', plain),
      'a stream': () => exchange(long),
      'a bad request': () => exchange('hello', { n: 'many' }),
      'an unknown model': () => exchange('hello', { model: 'none' }),
      'a refusal of the engine': () => exchange('#fault status=503\n'),
      'a client that leaves at once': () => exchange(long, {}, 0),
      'a client that leaves a stream': () => exchange('#fault stall=100 at=2\nhello, world', {}, 20),
      'a client that leaves before an answer': () => exchange('#fault delay=100\nhello', plain, 20),
      'a stream that is cut': () => exchange('#fault cut=1\nhello, world'),
      'an answer that is cut': () => exchange('#fault cut=1\nhello, world', plain),
      'a stream that fails': () => exchange('#fault error=1\nhello, world'),
      'an answer that fails': () => exchange('#fault error=1\nhello, world', plain),
      'a stream that takes too long': () => exchange('#fault stall=5000 at=1\nhello, world'),
      'an answer that takes too long': () => exchange('#fault delay=5000\nhello', plain),
    }
    const names = fc.constantFrom(...Object.values(endings))
    await fc.assert(
      fc.asyncProperty(fc.array(names, { minLength: 1, maxLength: 12 }), async (together) => {
        limiter.taken = 0
        limiter.freed = 0
        await Promise.all(together.map((ending) => ending()))
        await expect.poll(() => limiter.freed, { interval: 5 }).toBe(limiter.taken)
        expect(limiter.taken).toBeLessThanOrEqual(together.length)
      }),
      { numRuns: 12, examples: [[Object.values(endings)]] },
    )
    // Nothing is freed a second time afterwards.
    await sleep(50)
    expect(limiter.freed).toBe(limiter.taken)
  })
})
