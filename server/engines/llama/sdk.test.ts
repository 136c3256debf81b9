// A real chat model answers the official library as a service would: text, streams, parsed schemas, tools that run. It is
// tried where `npx touchstone model` has brought the model, or CHAT_MODEL names the file of one.
import { fileURLToPath } from 'node:url'
import OpenAI from 'openai'
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestService } from '../../app.fixture.ts'
import type { LlamaEngine } from './llama.ts'
import { createTinyEngine } from './llama.fixture.ts'

const MODEL = 'svc-0.1-135m'
const path =
  process.env['CHAT_MODEL'] ??
  fileURLToPath(new URL('../../../models/SmolLM2-135M-Instruct.Q4_1.gguf', import.meta.url))

const MOON = z.object({
  name: z.string().regex(/^[A-Z][a-z]{2,12}$/),
  planet: z.enum(['Earth', 'Mars', 'Jupiter']),
  diameter: z.number().int().min(1000).max(5500),
  discovered: z.string().date().nullable(),
})

describe('a chat model, by the official library', { tags: ['llama', 'chat-model'], timeout: 120_000 }, () => {
  let engine: LlamaEngine
  let openai: OpenAI
  beforeAll(async () => {
    engine = createTinyEngine({ models: [{ id: MODEL, source: path }], contextTokens: 1024, slots: 2 })
    const service = await createTestService({ engines: [engine], timeoutMs: 100_000 })
    openai = new OpenAI({
      apiKey: service.secret,
      baseURL: `${service.url}/v1`,
      maxRetries: 0,
    })
    await engine.loaded
  }, 60_000)
  afterAll(() => engine.close())

  const ask = (content: string) => ({
    model: MODEL,
    messages: [{ role: 'user' as const, content }],
    temperature: 0,
    max_completion_tokens: 120,
  })
  const capital = ask('What is the capital of France? Answer in one sentence.')

  it('answers with text, the same when streamed', async () => {
    const plain = await openai.chat.completions.create(capital)
    const text = plain.choices[0]?.message.content
    expect(text).toContain('Paris')
    let streamed = ''
    const stream = await openai.chat.completions.create({ ...capital, stream: true })
    for await (const chunk of stream) streamed += chunk.choices[0]?.delta.content ?? ''
    expect(streamed).toBe(text)
    expect(await openai.chat.completions.stream(capital).finalContent()).toBe(text)
  })

  it('answers in a strict schema with bounds and patterns, the same when streamed', async () => {
    const request = {
      ...ask('Describe the largest moon of Jupiter.'),
      response_format: zodResponseFormat(MOON, 'moon'),
    }
    const parsed = (await openai.chat.completions.parse(request)).choices[0]?.message.parsed
    expect(MOON.parse(parsed)).toEqual(parsed)
    const streamed = await openai.chat.completions.stream(request).finalChatCompletion()
    expect(streamed.choices[0]?.message.parsed).toEqual(parsed)
  })

  describe.each([false, true])('with tools (streamed: %s)', (stream) => {
    const asked: unknown[] = []
    const tools = [
      zodFunction({
        name: 'get_weather',
        description: 'Returns the weather of a city for some days.',
        parameters: z.object({ city: z.string().max(30), days: z.number().int().min(1).max(9) }),
        function(given) {
          asked.push(given)
          return `In ${given.city} the sun shines.`
        },
      }),
    ]
    const question = ask('What is the weather in Paris for the next 3 days?')

    it('calls the tool that it must, and the tool runs', async () => {
      const forced = {
        ...question,
        tools,
        tool_choice: { type: 'function' as const, function: { name: 'get_weather' } },
      }
      const runner = stream
        ? openai.chat.completions.runTools({ ...forced, stream })
        : openai.chat.completions.runTools({ ...forced, stream: false })
      await runner.done()
      const [given] = asked.splice(0)
      expect(given).toEqual({ city: expect.any(String), days: expect.any(Number) })
      expect(JSON.stringify(runner.messages.at(-1))).toContain('the sun shines')
    })

    it('goes on from what the tool said', async () => {
      const call = {
        id: 'call_1',
        type: 'function' as const,
        function: { name: 'get_weather', arguments: '{"city":"Paris","days":3}' },
      }
      const messages = [
        ...question.messages,
        { role: 'assistant' as const, tool_calls: [call] },
        { role: 'tool' as const, tool_call_id: 'call_1', content: 'Heavy rain on all three days.' },
      ]
      const request = { ...question, messages, tools, tool_choice: 'none' as const }
      const text = stream
        ? await openai.chat.completions.stream(request).finalContent()
        : (await openai.chat.completions.create(request)).choices[0]?.message.content
      expect(text).toMatch(/rain/i)
    })
  })
})
