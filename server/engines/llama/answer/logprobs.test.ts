// Bias, penalties and log-probabilities are the bundled model's closed form after the formulas of the format.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bigramProbability,
  END,
  markerId,
  nextProbabilities,
  sentences,
  START,
} from '../../../../fixtures/tiny-model/bigram.ts'
import type { ChatCompletionRequest } from '../../../../spec/schemas/request.ts'
import type { TokenLogprob } from '../../../../spec/schemas/response.ts'
import { ask, useTinyEngine } from '../llama.fixture.ts'
import { answerTo } from '../../../engine-answer.fixture.ts'

const certain = sentences[0] ?? ''
const greedy = (fields: Partial<ChatCompletionRequest> = {}) => ask({ temperature: 0, ...fields })

/** The expected values at temperature 0, computed from the formulas. */
function expected({
  bias = {},
  frequency = 0,
  presence = 0,
  limit = 100,
}: {
  readonly bias?: Readonly<Record<string, number>>
  readonly frequency?: number
  readonly presence?: number
  readonly limit?: number
}): string {
  const counts = new Map<number, number>()
  const tokens: number[] = []
  while (tokens.length < limit) {
    const ranked = [...nextProbabilities(tokens.at(-1) ?? START)]
      .filter(([token]) => bias[token] !== -100)
      .map(([token, probability]) => {
        const count = counts.get(token) ?? 0
        const penalty = count * frequency + (count > 0 ? presence : 0)
        return { token, logit: Math.log(probability) + (bias[token] ?? 0) - penalty }
      })
      .toSorted((a, b) => b.logit - a.logit)
    const [best, second] = ranked
    if (best === undefined || (second !== undefined && best.logit - second.logit < 1e-5)) break
    if (best.token === END) break
    tokens.push(best.token)
    counts.set(best.token, (counts.get(best.token) ?? 0) + 1)
  }
  return String.fromCharCode(...tokens)
}

describe('bias, penalties and log-probabilities', { tags: 'llama', timeout: 60_000 }, () => {
  const engine = useTinyEngine()

  it('are the formulas of the format', async () => {
    const amount = fc.double({ min: -2, max: 2, noNaN: true })
    const letters = [...new Set(sentences.join(''))].map((letter) => String(letter.charCodeAt(0)))
    const bias = fc.dictionary(fc.constantFrom(...letters), fc.integer({ min: -3, max: 3 }), { maxKeys: 4 })
    await fc.assert(
      fc.asyncProperty(amount, amount, bias, async (frequency, presence, biases) => {
        const text = expected({ bias: biases, frequency, presence, limit: 60 })
        // The prediction ends early where two tokens are so close that rounding may decide.
        fc.pre(text !== '')
        const answer = await answerTo(
          engine(),
          greedy({
            frequency_penalty: frequency,
            presence_penalty: presence,
            logit_bias: biases,
            max_tokens: text.length,
          }),
        )
        expect(answer.texts).toEqual([text])
      }),
      { numRuns: 40 },
    )
  })

  it('refuses a bias for a token that the model does not have', async () => {
    const biases = { 33: 1, 9999: 1 }
    await expect(answerTo(engine(), greedy({ logit_bias: biases }))).rejects.toMatchObject({
      status: 400,
      param: 'logit_bias.9999',
    })
  })

  it('removes a token, also the end, and leaves no other', async () => {
    const g = { [String('G'.charCodeAt(0))]: -100 }
    const { texts } = await answerTo(engine(), greedy({ logit_bias: g, max_tokens: 3 }))
    expect(texts[0]).not.toContain('G')
    const endless = await answerTo(engine(), greedy({ logit_bias: { [END]: -100 }, max_tokens: 30 }))
    expect(endless.reasons).toEqual(['length'])
    const only = await answerTo(engine(), ask({ logit_bias: { '33': 100 }, max_tokens: 5 }))
    expect(only).toMatchObject({ texts: ['!!!!!'], reasons: ['length'] })
  })

  it('reports the probability of each token and of the most likely ones as in the model', async () => {
    const { texts, logprobs } = await answerTo(
      engine(),
      ask({ seed: 3, temperature: 2, logprobs: true, top_logprobs: 20, logit_bias: { '71': -2 } }),
    )
    let previous = START
    for (const entry of logprobs[0] ?? []) {
      const token = entry.bytes?.[0] ?? -1
      expect(entry.logprob).toBeCloseTo(Math.log(bigramProbability(previous, token)), 4)
      const possible = [...nextProbabilities(previous).values()].toSorted((a, b) => b - a)
      expect(entry.top_logprobs).toHaveLength(20)
      for (const [place, { logprob }] of entry.top_logprobs.entries()) {
        const probability = possible[place]
        expect(logprob).toBeCloseTo(probability === undefined ? -9999 : Math.log(probability), 4)
      }
      previous = token
    }
    expect(bytesOf(logprobs[0])).toEqual([...Buffer.from(texts[0] ?? '')])
  })

  it('reports no candidates if none are requested, and no log-probabilities without logprobs', async () => {
    const { logprobs } = await answerTo(engine(), greedy({ logprobs: true, n: 2 }))
    for (const entries of logprobs) {
      expect(entries.map(({ token }) => token).join('')).toBe(certain)
      expect(entries.every(({ top_logprobs }) => top_logprobs.length === 0)).toBe(true)
    }
    expect((await answerTo(engine(), greedy())).logprobs).toEqual([[]])
  })

  it('reports the tokens before a stop string', async () => {
    const { texts, logprobs } = await answerTo(engine(), greedy({ logprobs: true, stop: 'ring' }))
    expect(texts).toEqual(['Gold '])
    expect(logprobs[0]?.map(({ token }) => token)).toEqual([...'Gold '])
  })

  it('reports the bytes of tokens that are parts of a character, and no unfinished character', async () => {
    // € is E2 82 AC: its first byte is made the only one that can come, so no character is ever finished.
    const [first = 0] = Buffer.from('€')
    const bytesOfFirst = async (tokens: number) => {
      const logit_bias = { [first]: 100 }
      const { logprobs } = await answerTo(
        engine(),
        ask({ logprobs: true, top_logprobs: 1, logit_bias, max_tokens: tokens }),
      )
      return logprobs[0]?.map(({ bytes }) => bytes)
    }
    expect(await bytesOfFirst(2)).toEqual([])
    // Four bytes are a character, or are none.
    expect(await bytesOfFirst(5)).toEqual([[first], [first], [first], [first]])
  })

  it('names a marker among the likeliest', async () => {
    const { logprobs } = await answerTo(
      engine(),
      greedy({ logprobs: true, top_logprobs: 1, logit_bias: { [END]: -100 }, max_tokens: 12 }),
    )
    expect(logprobs[0]?.at(-1)?.top_logprobs[0]?.token).toBe('<|end|>')
    expect(markerId('<|end|>')).toBe(END)
  })
})

function bytesOf(entries: readonly TokenLogprob[] = []): number[] {
  return entries.flatMap(({ bytes }) => bytes ?? [])
}
