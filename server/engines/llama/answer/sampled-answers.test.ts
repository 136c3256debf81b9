// Drawn answers follow the closed form: Pearson's statistic over all transitions, with fixed seeds, stays within five
// standard deviations of its mean, and the same bound rejects other sampling parameters.
import { describe, expect, it } from 'vitest'
import {
  END,
  nextProbabilities,
  sampledProbabilities,
  START,
} from '../../../../fixtures/tiny-model/bigram.ts'
import { ask, useTinyEngine } from '../llama.fixture.ts'
import { answerTo } from '../../../engine-answer.fixture.ts'

interface Parameters {
  readonly temperature: number
  readonly topP: number
}

/** The sampling parameters of the test, and parameters whose answers must differ. */
interface Drawn extends Parameters {
  readonly others: readonly Parameters[]
}

/** How often each token followed another in these answers. */
function countTransitions(texts: readonly string[]): ReadonlyMap<number, ReadonlyMap<number, number>> {
  const rows = new Map<number, Map<number, number>>()
  for (const text of texts) {
    let previous = START
    for (const next of [...Buffer.from(text, 'ascii'), END]) {
      const row = rows.get(previous) ?? new Map<number, number>()
      rows.set(previous, row.set(next, (row.get(next) ?? 0) + 1))
      previous = next
    }
  }
  return rows
}

/**
 * How many standard deviations Pearson's statistic lies above its mean; Infinity where something came that cannot.
 * Tokens that are equally probable count together, since top_p may keep any of them; cells that
 * expect fewer than 5 count together too.
 */
function deviation(texts: readonly string[], parameters: Parameters): number {
  let statistic = 0
  let degrees = 0
  for (const [previous, seen] of countTransitions(texts)) {
    const total = seen.values().reduce((sum, count) => sum + count, 0)
    const model = nextProbabilities(previous)
    const cells = new Map<number, { expected: number; observed: number }>()
    const cell = (next: number) => {
      const key = model.get(next) ?? 0
      const found = cells.get(key) ?? { expected: 0, observed: 0 }
      cells.set(key, found)
      return found
    }
    for (const [next, probability] of sampledProbabilities(previous, parameters)) {
      cell(next).expected += total * probability
    }
    for (const [next, count] of seen) cell(next).observed += count
    const large = [...cells.values()].filter(({ expected }) => expected >= 5)
    const small = [...cells.values()].filter(({ expected }) => expected < 5)
    if (small.some(({ expected, observed }) => expected === 0 && observed > 0)) return Infinity
    const pooled = small.reduce(
      (sum, { expected, observed }) => ({
        expected: sum.expected + expected,
        observed: sum.observed + observed,
      }),
      { expected: 0, observed: 0 },
    )
    const counted = pooled.expected >= 5 ? [...large, pooled] : large
    for (const { expected, observed } of counted) statistic += (observed - expected) ** 2 / expected
    degrees += Math.max(0, counted.length - 1)
  }
  return (statistic - degrees) / Math.sqrt(2 * degrees)
}

describe('sampled answers', { tags: 'llama', timeout: 120_000 }, () => {
  const engine = useTinyEngine({ contextTokens: 1024 })

  /** Draws with these parameters: what comes fits them, and fits none of the others. */
  async function expectFit({ temperature, topP, others }: Drawn): Promise<void> {
    const texts: string[] = []
    for (let seed = 0; seed < 256; seed += 128) {
      const answer = await answerTo(engine(), ask({ temperature, top_p: topP, seed, n: 128 }))
      expect(new Set(answer.reasons)).toEqual(new Set(['stop']))
      texts.push(...answer.texts)
    }
    expect(deviation(texts, { temperature, topP })).toBeLessThan(5)
    for (const other of others) expect(deviation(texts, other)).toBeGreaterThan(5)
  }

  it.each<Drawn>([
    {
      temperature: 1,
      topP: 1,
      others: [
        { temperature: 0.8, topP: 1 },
        { temperature: 1, topP: 0.9 },
      ],
    },
    {
      temperature: 1,
      topP: 0.6,
      others: [
        { temperature: 1, topP: 0.7 },
        { temperature: 1, topP: 1 },
      ],
    },
  ])('follow temperature $temperature and top_p $topP', expectFit)

  it.each<Drawn>([
    {
      temperature: 0.5,
      topP: 1,
      others: [
        { temperature: 0.6, topP: 1 },
        { temperature: 1, topP: 1 },
      ],
    },
    { temperature: 2, topP: 1, others: [{ temperature: 1.5, topP: 1 }] },
    { temperature: 0.7, topP: 0.8, others: [{ temperature: 1, topP: 0.8 }] },
  ])('follow temperature $temperature and top_p $topP', { tags: 'slow' }, expectFit)
})
