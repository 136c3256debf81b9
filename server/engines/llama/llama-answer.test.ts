// The child samples what the request asks for.
import { describe, expect, it } from 'vitest'
import { samplingOf, SEEDS } from './llama-answer.ts'
import { ask } from './llama.fixture.ts'

const never = (): number => {
  throw new Error('no seed is drawn')
}

const plain = { temperature: 1, topP: 1, seed: 1, bias: [], frequencyPenalty: 0, presencePenalty: 0 }

describe('samplingOf', () => {
  it('defaults to temperature 1 and top_p 1, null included', () => {
    expect(samplingOf(ask({ seed: 1 }), 0, never)).toEqual(plain)
    const nulls = ask({ seed: 1, temperature: null, top_p: null })
    expect(samplingOf(nulls, 0, never)).toEqual(plain)
  })

  it('takes biases by token id, and penalties', () => {
    const fields = { seed: 1, logit_bias: { '7': -100 }, frequency_penalty: 0.5, presence_penalty: -2 }
    expect(samplingOf(ask(fields), 0, never)).toEqual({
      ...plain,
      bias: [[7, -100]],
      frequencyPenalty: 0.5,
      presencePenalty: -2,
    })
  })

  it('takes a temperature that would overflow a float as 0', () => {
    expect(samplingOf(ask({ seed: 1, temperature: 1e-39 }), 0, never).temperature).toBe(0)
  })

  it('draws a seed for each choice if none is given', () => {
    let drawn = 0
    const draw = () => (drawn += 1)
    expect([0, 1].map((index) => samplingOf(ask({ seed: null }), index, draw).seed)).toEqual([1, 2])
  })

  it.each([0, 1, -1, SEEDS - 1, SEEDS, 2 ** 63, -(2 ** 63)])(
    'gives each choice of seed %d a seed of its own, never the one that means any',
    (seed) => {
      const seeds = Array.from({ length: 128 }, (_, index) => samplingOf(ask({ seed }), index, never).seed)
      expect(new Set(seeds).size).toBe(128)
      for (const given of seeds) {
        expect(Number.isInteger(given) && given >= 0 && given < SEEDS).toBe(true)
      }
    },
  )
})
