// A plan fixes all that is sent: the generators add nothing of their own.
import { describe, expect, it } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { arrivalTimes, turnOf } from './stream-plan.ts'
import { plan } from './stream.fixture.ts'

const textOf = (messages: readonly unknown[]): readonly string[] =>
  String((messages.at(-1) as { content: unknown }).content).split(' ')

describe('arrivalTimes', () => {
  it('are even with constant arrivals', () => {
    const load = { model: 'open', arrivals: 'constant', ratePerSecond: 3 } as const
    const times = arrivalTimes(plan({ load, seconds: 2 }))
    expect(times).toHaveLength(6)
    for (const [index, time] of times.entries()) expect(time).toBeCloseTo((index * 1000) / 3)
  })

  it('are Poisson by default: counts and gaps of many seeds have the mean and the spread of the rate', () => {
    const runs = Array.from({ length: 200 }, (_, seed) => arrivalTimes(plan({ seed, seconds: 20 })))
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length
    const counts = runs.map(({ length }) => length)
    // 200 expected in each run; the mean of 200 runs has a standard deviation of 1.
    expect(Math.abs(mean(counts) - 200)).toBeLessThan(5)
    const variance = mean(counts.map((count) => (count - mean(counts)) ** 2))
    expect(variance).toBeGreaterThan(130)
    expect(variance).toBeLessThan(290)
    const gaps = runs.flatMap((times) => times.slice(1).map((time, index) => time - (times[index] ?? 0)))
    // An exponential distribution: a share of 1/e exceeds the mean.
    expect(gaps.filter((gap) => gap > 100).length / gaps.length).toBeCloseTo(Math.exp(-1), 1.5)
  })

  it('depend on the seed alone', () => {
    expect(arrivalTimes(plan())).toEqual(arrivalTimes(plan()))
    expect(arrivalTimes(plan())).not.toEqual(arrivalTimes(plan({ seed: 2 })))
  })
})

describe('turnOf', () => {
  it('has lengths within the ranges, and both ends of them', () => {
    const own = plan({ promptTokens: { least: 3, most: 5 }, answerTokens: { least: 10, most: 12 } })
    const turns = Array.from({ length: 200 }, (_, index) => turnOf(own, index, 1, []))
    expect(new Set(turns.map(({ messages }) => textOf(messages).length))).toEqual(new Set([3, 4, 5]))
    expect(new Set(turns.map(({ maxTokens }) => maxTokens))).toEqual(new Set([10, 11, 12]))
  })

  it('shares the prefix and nothing else', () => {
    const own = plan({ promptTokens: { least: 40, most: 40 }, sharedPrefixTokens: 30 })
    const texts = Array.from({ length: 20 }, (_, index) => textOf(turnOf(own, index, 1, []).messages))
    const [first = []] = texts
    for (const text of texts) expect(text.slice(0, 30)).toEqual(first.slice(0, 30))
    expect(new Set(texts.map((text) => text.slice(30).join(' '))).size).toBe(20)
  })

  it('has the number of tokens that the service counts', () => {
    const sizes = {
      tokens: fc.integer({ min: 20, max: 2000 }),
      perWord: fc.double({ min: 0.5, max: 6, noNaN: true }),
    }
    forAll(fc.record(sizes), ({ tokens, perWord }) => {
      const tokenizer = { tokensPerWord: perWord, frameTokens: 7 }
      const own = plan({ promptTokens: { least: tokens, most: tokens }, tokenizer })
      const words = textOf(turnOf(own, 3, 1, []).messages).length
      expect(Math.abs(7 + words * perWord - tokens)).toBeLessThanOrEqual(
        Math.max(perWord, 7 + perWord - tokens),
      )
    })
  })

  it('goes on with the conversation, and takes given prompts in turn', () => {
    const before = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ]
    expect(turnOf(plan({ turns: 2 }), 0, 2, before).messages.slice(0, 2)).toEqual(before)
    const prompts = [{ messages: [{ role: 'user', content: 'one' }] }, { messages: before, maxTokens: 3 }]
    const own = plan({ prompts })
    expect([0, 1, 2].map((index) => turnOf(own, index, 1, []))).toEqual([
      { messages: prompts[0]?.messages, maxTokens: 8 },
      { messages: before, maxTokens: 3 },
      { messages: prompts[0]?.messages, maxTokens: 8 },
    ])
  })
})
