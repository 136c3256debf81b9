// The clock or the client ends an answer, even if the engine ignores the abort.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import type { Deltas, Engine } from '../engines/engine.ts'
import { createGenerations } from './generation.ts'

const TIMEOUT_MS = 1000
const request: ChatCompletionRequest = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** An engine that has its first delta at once, ends after `ms`, and ignores the abort signal. */
function heedless(ms: number): Engine {
  return {
    models: [],
    async *generate(): AsyncGenerator<Deltas> {
      yield [{ type: 'text', index: 0, text: 'a' }]
      await new Promise((resolve) => setTimeout(resolve, ms))
    },
    async close() {},
  }
}

/** An engine that always has a further delta at once. */
const endlessAtOnce: Engine = {
  models: [],
  generate: () => ({
    [Symbol.asyncIterator]: () => ({
      next: () => ({ done: false, value: [{ type: 'text', index: 0, text: 'a' }] }),
    }),
  }),
  async close() {},
}

async function start(engine: Engine, asked = request, keepAliveMs?: number) {
  const used: number[] = []
  let leave = (): void => {}
  const bounds = { timeoutMs: TIMEOUT_MS, maxAnswerBytes: 1_000_000 }
  const generation = await createGenerations({ ...bounds, ...(keepAliveMs && { keepAliveMs }) }).start(
    engine,
    asked,
    {
      requestId: '0',
      client: { hasLeft: false, onLeave: (listener) => (leave = listener) },
      onTokens: ({ total }) => used.push(total),
    },
  )
  return { generation, used, leave: () => leave() }
}

type Started = Awaited<ReturnType<typeof start>>

const ENDS: readonly (readonly [string, (started: Started) => Promise<unknown>, string])[] = [
  ['the clock', () => vi.advanceTimersByTimeAsync(TIMEOUT_MS), 'took longer than 1 s'],
  ['its client', async ({ leave }) => leave(), 'disconnected'],
]

test.each(ENDS)('%s ends an answer whose engine does not listen', async (_, end, why) => {
  const started = await start(heedless(2 * TIMEOUT_MS))
  async function read(): Promise<void> {
    for await (const deltas of started.generation.deltas) expect(deltas).toHaveLength(1)
  }
  const failure = read().catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(0)
  await end(started)
  await vi.advanceTimersByTimeAsync(2 * TIMEOUT_MS)
  expect(await failure).toMatchObject({ message: expect.stringContaining(why) })
})

test.each(ENDS)('%s ends the wait of a reader whose engine never waits', async (_, end, why) => {
  const started = await start(endlessAtOnce)
  const { signal } = started.generation
  await end(started)
  expect(signal.reason).toMatchObject({ message: expect.stringContaining(why) })
})

test('the usage is reported once, however often an answer is ended', async () => {
  const { generation, used } = await start(endlessAtOnce)
  generation.end()
  generation.end()
  expect(used).toHaveLength(1)
})

/** An engine that waits, reads the prompt, and then answers or refuses. */
function reading(waitMs: number, readMs: number, refusal?: Error): Engine {
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  return {
    models: [],
    async *generate(_, context): AsyncGenerator<Deltas> {
      await pause(waitMs)
      if (refusal !== undefined) throw refusal
      context.countTokens?.(1)
      await pause(readMs)
      yield [{ type: 'text', index: 0, text: 'a' }]
    },
    async close() {},
  }
}

const streamed = { ...request, stream: true }

test('a stream begins before its first delta if a long prompt is read, and not before', async () => {
  for (const [waitMs, readMs, lateMs] of [
    [0, 500, 100],
    [300, 100, 300],
  ] as const) {
    const began = Date.now()
    const starting = start(reading(waitMs, readMs), streamed, 100)
    await vi.advanceTimersByTimeAsync(waitMs + readMs - 1)
    const { generation } = await starting
    expect(generation.isLate).toBe(true)
    expect(Date.now() - began).toBeGreaterThanOrEqual(lateMs)
    const next = generation.deltas[Symbol.asyncIterator]().next()
    await vi.advanceTimersByTimeAsync(1)
    expect(await next).toMatchObject({ value: [{ text: 'a' }] })
  }
})

test('a late refusal does not become a stream, and a fast or a plain answer is not late', async () => {
  const refused = start(reading(500, 0, new Error('too long')), streamed, 100).catch(
    (error: unknown) => error,
  )
  await vi.advanceTimersByTimeAsync(500)
  expect(await refused).toMatchObject({ message: 'too long' })
  for (const [asked, ms] of [
    [streamed, 50],
    [request, 500],
  ] as const) {
    const starting = start(reading(0, ms), asked, 100)
    await vi.advanceTimersByTimeAsync(ms)
    expect((await starting).generation.isLate).toBe(false)
  }
})
