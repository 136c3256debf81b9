// The engine says what the bundled model's counts say, to the letter where the answer is certain and within statistical
// bounds if it is drawn; and it keeps limits, stop strings and its refusals.
import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { sentences } from '../../../fixtures/tiny-model/bigram.ts'
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { ask, useTinyEngine, TINY } from './llama.fixture.ts'
import { answerTo } from '../../engine-answer.fixture.ts'

/** The answer at temperature 0. */
const certain = sentences[0] ?? ''
const greedy = (fields: Partial<ChatCompletionRequest> = {}) => ask({ temperature: 0, ...fields })

/** The template: a marker, the text and a marker for each message, and one marker to begin the answer. */
const promptTokens = (...texts: string[]) =>
  texts.reduce((sum, text) => sum + 2 + Buffer.byteLength(text.toWellFormed()), 1)

describe('the llama engine', { tags: 'llama' }, () => {
  const engine = useTinyEngine()

  it('lists its models', () => {
    const [model, ...others] = engine().models
    expect(model).toMatchObject({ id: TINY, created: 1_700_000_000, ownedBy: 'touchstone' })
    expect(model?.contextTokens?.()).toBe(256)
    expect(others).toEqual([])
  })

  it('gives the most probable answer at temperature 0, and counts its tokens', async () => {
    expect(await answerTo(engine(), greedy())).toEqual({
      texts: [certain],
      reasons: ['stop'],
      usage: {
        prompt_tokens: 5,
        completion_tokens: certain.length,
        total_tokens: 5 + certain.length,
        prompt_tokens_details: { cached_tokens: 0 },
      },
      logprobs: [[]],
      calls: [[]],
    })
  })

  it.each([
    { temperature: 0, top_p: 1 },
    { temperature: 1, top_p: 0 },
    { temperature: 2, top_p: 1e-9 },
  ])('takes the most probable token each time at %o', async (fields) => {
    expect((await answerTo(engine(), ask(fields))).texts).toEqual([certain])
  })

  it('gives the text of a token while the next token is evaluated', async () => {
    const context = { signal: new AbortController().signal, requestId: 'req_test', maxAnswerBytes: Infinity }
    async function together() {
      const counts: number[] = []
      for await (const deltas of engine().generate(greedy({ max_tokens: 4 }), context))
        counts.push(deltas.filter(({ type }) => type === 'text').length)
      return counts.filter((count) => count > 0)
    }
    // A reader that wakes late gets several at once.
    await vi.waitFor(async () => expect(await together()).toEqual([1, 1, 1, 1]), { timeout: 5000 })
  })

  it('counts every message once, whatever its text, also text that looks like a marker', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('<|end|>', '<|assistant|>', '\uD800', '\0', ' \n'),
    )
    const role = fc.constantFrom('system', 'developer', 'user', 'assistant')
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ role, content: text }), { minLength: 1, maxLength: 5 }),
        async (messages) => {
          const { texts, usage } = await answerTo(engine(), greedy({ messages }))
          expect(usage.prompt_tokens).toBe(promptTokens(...messages.map(({ content }) => content)))
          expect(texts).toEqual([certain])
        },
      ),
      { numRuns: 60 },
    )
  })

  it('takes calls and their results as history', async () => {
    const call = {
      id: 'call_1',
      type: 'function' as const,
      function: { name: 'weigh', arguments: '{"gold":1}' },
    }
    const messages = [
      ...ask().messages,
      { role: 'assistant' as const, content: null, tool_calls: [call] },
      { role: 'tool' as const, tool_call_id: 'call_1', content: 'heavy' },
    ]
    const { texts, usage } = await answerTo(engine(), greedy({ messages }))
    expect(texts).toEqual([certain])
    expect(usage.prompt_tokens).toBeGreaterThan(promptTokens('Hi', 'weigh', 'heavy') - 2)
  })

  it('stops before every stop string that occurs, and counts what was generated', async () => {
    const place = fc.tuple(fc.nat(certain.length - 1), fc.integer({ min: 1, max: 4 }))
    await fc.assert(
      fc.asyncProperty(place, async ([from, length]) => {
        const stop = certain.slice(from, from + length)
        const at = certain.indexOf(stop)
        const { texts, reasons, usage } = await answerTo(engine(), greedy({ stop: ['never', stop] }))
        expect({ texts, reasons }).toEqual({ texts: [certain.slice(0, at)], reasons: ['stop'] })
        expect(usage.completion_tokens).toBe(at + stop.length)
      }),
      { numRuns: 40 },
    )
  })

  it.each([1, 5, certain.length - 1])('generates %d tokens and no more where asked', async (limit) => {
    for (const field of ['max_tokens', 'max_completion_tokens'] as const) {
      const { texts, reasons, usage } = await answerTo(engine(), greedy({ [field]: limit }))
      expect({ texts, reasons }).toEqual({ texts: [certain.slice(0, limit)], reasons: ['length'] })
      expect(usage.completion_tokens).toBe(limit)
    }
  })

  it('repeats itself with a seed, one choice like the same choice alone, and else does not', async () => {
    const seeded = await answerTo(engine(), ask({ seed: 7, n: 6 }))
    expect((await answerTo(engine(), ask({ seed: 7, n: 6 }))).texts).toEqual(seeded.texts)
    expect(new Set(seeded.texts).size).toBeGreaterThan(1)
    for (const [index, text] of seeded.texts.entries()) {
      expect((await answerTo(engine(), ask({ seed: 7 + index }))).texts).toEqual([text])
    }
    const unseeded = await Promise.all(Array.from({ length: 4 }, () => answerTo(engine(), ask())))
    expect(new Set(unseeded.map(({ texts }) => texts[0])).size).toBeGreaterThan(1)
  })

  it('fills the context to the last token and then ends with length', async () => {
    const content = 'x'.repeat(256 - promptTokens('') - 3)
    const { texts, reasons, usage } = await answerTo(
      engine(),
      greedy({ messages: [{ role: 'user', content }] }),
    )
    expect({ texts, reasons }).toEqual({ texts: [certain.slice(0, 3)], reasons: ['length'] })
    expect(usage.total_tokens).toBe(256)
  })

  it.each([
    ['one token too long', 256 - promptTokens(''), '256 tokens'],
    ['far too long', 4_000_000, 'at least '],
  ])('refuses a prompt that is %s, and cuts nothing', async (_, length, said) => {
    const messages = [{ role: 'user' as const, content: 'x'.repeat(length) }]
    await expect(answerTo(engine(), greedy({ messages }))).rejects.toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
      param: 'messages',
      message: expect.stringMatching(new RegExp(`${said}.* context of 256 tokens`)),
    })
  })

  it.each([
    ['verbosity', { verbosity: 'low' }],
    ['reasoning_effort', { reasoning_effort: 'low' }],
  ] satisfies [string, Partial<ChatCompletionRequest>][])('refuses %s by name', async (param, fields) => {
    await expect(async () => await answerTo(engine(), ask(fields))).rejects.toMatchObject({
      status: 400,
      param,
    })
  })
})
