// A prompt is charged once it is evaluated, and the answer as far as it is generated, however early its client disconnects.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import { createTestService } from '../app.fixture.ts'
import { createEchoEngine, ECHO_MODEL } from '../engines/echo/echo.ts'
import type { Engine } from '../engines/engine.ts'
import { ask, useTinyEngine } from '../engines/llama/llama.fixture.ts'
import { createUpstreamEngine } from '../engines/upstream/upstream-engine.ts'
import { createGenerations } from './generation.ts'

const generations = createGenerations({ timeoutMs: 30_000, maxAnswerBytes: Infinity })

/** An answer whose client disconnects after `steps` steps; the number of its charged tokens, and whether it was complete. */
async function chargedFor(engine: Engine, request: ChatCompletionRequest, steps: number) {
  const charged: number[] = []
  let leave = (): void => {}
  const client = { hasLeft: false, onLeave: (listener: () => void) => (leave = listener) }
  const context = { requestId: '0', client, onTokens: ({ total }: { total: number }) => charged.push(total) }
  const generation = await generations.start(engine, request, context)
  const deltas = generation.deltas[Symbol.asyncIterator]()
  let isComplete = false
  for (let step = 0; step < steps && !isComplete; step += 1) isComplete = (await deltas.next()).done === true
  leave()
  generation.end()
  expect(charged).toHaveLength(1)
  return { total: charged[0] ?? 0, isComplete }
}

describe('the echo model', () => {
  const engine = createEchoEngine(0)
  afterAll(() => engine.close())

  test('charges the prompt and what it has generated, whenever the client disconnects', async () => {
    const given = fc.record({
      length: fc.integer({ min: 1, max: 8000 }),
      steps: fc.integer({ min: 1, max: 40 }),
      n: fc.integer({ min: 1, max: 4 }),
      stream: fc.boolean(),
      logprobs: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(given, async ({ length, steps, ...fields }) => {
        const messages = [{ role: 'user' as const, content: 'é'.repeat(length) }]
        const request = { model: ECHO_MODEL, messages, ...fields }
        const { total, isComplete } = await chargedFor(engine, request, steps)
        const whole = length + fields.n * length
        // A delta of a stream has four tokens, and a step has 64 deltas of all choices together.
        const least = length + Math.min(fields.n * length, steps * 64)
        expect(total).toBeGreaterThanOrEqual(least)
        expect(total).toBeLessThanOrEqual(whole)
        if (isComplete) expect(total).toBe(whole)
      }),
    )
  })

  test('admits no further prompt after the tokens of a minute, if each client disconnects at its first delta', async () => {
    const { send } = await createTestService({ rateLimit: { tokensPerMinute: 2000 } })
    const content = `#fault stall=60000 at=1\n${'x'.repeat(1400)}`
    const statuses: number[] = []
    for (let count = 0; count < 6; count += 1) {
      const answer = await send('POST', '/v1/chat/completions', {
        model: ECHO_MODEL,
        stream: true,
        max_tokens: 10,
        messages: [{ role: 'user', content }],
      })
      statuses.push(answer.status)
      await answer.body?.cancel()
      // The charge follows the end of the connection.
      if (count === 1) await expect.poll(remaining).toBe('0')
    }
    expect(statuses).toEqual([200, 200, 429, 429, 429, 429])

    async function remaining() {
      return (await send('GET', '/v1/models')).headers.get('x-ratelimit-remaining-tokens')
    }
  })
})

describe('a local model', { tags: 'llama' }, () => {
  const engine = useTinyEngine({ contextTokens: 4096 })

  test.each([true, false])('charges the prompt at the first token (stream: %s)', async (stream) => {
    const request = ask({
      stream,
      temperature: 0,
      max_tokens: 10,
      messages: [{ role: 'user', content: 'x'.repeat(1400) }],
    })
    const whole = await chargedFor(engine(), request, Infinity)
    expect(whole.total).toBeGreaterThan(1400)
    const left = await chargedFor(engine(), request, 1)
    expect(left.total).toBeGreaterThan(1400)
    expect(left.total).toBeLessThanOrEqual(whole.total)
  })

  test('charges the part of a prompt whose evaluation has begun', async () => {
    const left = new AbortController()
    let prompt = 0
    const deltas = engine().generate(ask({ messages: [{ role: 'user', content: 'y'.repeat(3000) }] }), {
      signal: left.signal,
      requestId: '0',
      maxAnswerBytes: Infinity,
      countTokens(tokens, answer) {
        expect(answer).toBe(0)
        prompt = tokens
        left.abort(new Error('left'))
      },
    })
    await expect(deltas[Symbol.asyncIterator]().next()).rejects.toThrow('left')
    expect(prompt).toBeGreaterThan(0)
  })
})

describe('an upstream', () => {
  const content = 'x'.repeat(4000)
  const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'four' } }] })}\n\n`

  /** An engine in front of a server that begins an answer and never ends it. */
  async function hanging(begin: (response: ServerResponse) => void) {
    const arrived = Promise.withResolvers<void>()
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        begin(response)
        arrived.resolve()
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    afterAll(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const retry = { maxAttempts: 1, maxTotalWaitMs: 0 }
    const engine = createUpstreamEngine(
      [{ id: 'ours', baseUrl: `http://127.0.0.1:${port}`, model: 'theirs', apiKey: 'k' }],
      { created: 1, retry, silenceMs: 5000, concurrency: 8 },
    )
    return { engine, arrived: arrived.promise }
  }
  const request = { model: 'ours', messages: [{ role: 'user' as const, content }] }

  test('charges the estimated prompt after the first delta', async () => {
    const { engine } = await hanging((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk)
    })
    expect((await chargedFor(engine, { ...request, stream: true }, 1)).total).toBe(1001)
  })

  test.each([true, false])(
    'charges the estimated prompt if the client disconnects before the first byte (stream: %s)',
    async (stream) => {
      const { engine, arrived } = await hanging(() => {})
      const charged: number[] = []
      let leave = (): void => {}
      const started = generations.start(
        engine,
        { ...request, stream },
        {
          requestId: '0',
          client: { hasLeft: false, onLeave: (listener) => (leave = listener) },
          onTokens: ({ total }) => charged.push(total),
        },
      )
      await arrived
      leave()
      await expect(started).rejects.toThrow('disconnected')
      expect(charged).toEqual([1000])
    },
  )

  test('charges nothing if the upstream refuses', async () => {
    const { engine } = await hanging((response) => response.writeHead(503).end())
    const charged: number[] = []
    const client = { hasLeft: false, onLeave() {} }
    const onTokens = ({ total }: { total: number }) => charged.push(total)
    const started = generations.start(engine, request, { requestId: '0', client, onTokens })
    await expect(started).rejects.toMatchObject({ status: 503 })
    expect(charged).toEqual([0])
  })
})
