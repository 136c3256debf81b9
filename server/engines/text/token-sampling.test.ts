// Every parameter does to a distribution what its formula says.
import { describe, expect, it } from 'vitest'
import { fc, forAll } from '../../../spec/property.fixture.ts'
import { createRandom, createSampler, type TokenSamplerOptions } from './token-sampling.ts'

const neutral: TokenSamplerOptions = {
  temperature: 1,
  topP: 1,
  seed: 1,
  bias: new Map(),
  frequencyPenalty: 0,
  presencePenalty: 0,
}

const model = new Map([
  [7, 0.5],
  [3, 0.25],
  [9, 0.15],
  [1, 0.1],
  [5, 0],
])

const DRAWS = 20_000

type Admits = (token: number) => boolean

/** How often each token is drawn of `model`, as a share, if a reader admits only some. */
function shares(options: Partial<TokenSamplerOptions>, admits: Admits): Map<number, number> {
  const sampler = createSampler({ ...neutral, ...options })
  const seen = new Map<number, number>()
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const token = sampler.order(model).find(admits) ?? -1
    seen.set(token, (seen.get(token) ?? 0) + 1 / DRAWS)
  }
  return seen
}

const any: Admits = () => true
const first = (sampler: ReturnType<typeof createSampler>) => sampler.order(model).find(any)

/** Five standard deviations of a share. */
function expectShares(actual: ReadonlyMap<number, number>, expected: Readonly<Record<number, number>>) {
  expect([...actual.keys()].map(String).toSorted()).toEqual(Object.keys(expected).toSorted())
  for (const [token, share] of Object.entries(expected)) {
    const slack = 5 * Math.sqrt((share * (1 - share)) / DRAWS) + 1e-9
    expect(Math.abs((actual.get(Number(token)) ?? 0) - share)).toBeLessThanOrEqual(slack)
  }
}

describe('createSampler', () => {
  const raised = 0.1 * Math.E ** 2
  const both = 0.5 ** 2 + 0.25 ** 2
  it.each([
    ['draws as the model says', {}, any, { 7: 0.5, 3: 0.25, 9: 0.15, 1: 0.1 }],
    [
      'sharpens by temperature after the cut of top_p',
      { topP: 0.7, temperature: 0.5 },
      any,
      { 7: 0.5 ** 2 / both, 3: 0.25 ** 2 / both },
    ],
    [
      'adds a bias below 100 to the logit',
      { bias: new Map([[1, 2]]) },
      any,
      {
        7: 0.5 / (0.9 + raised),
        3: 0.25 / (0.9 + raised),
        9: 0.15 / (0.9 + raised),
        1: raised / (0.9 + raised),
      },
    ],
    ['removes at -100', { bias: new Map([[7, -100]]) }, any, { 3: 0.5, 9: 0.3, 1: 0.2 }],
    ['leaves no other at 100', { bias: new Map([[5, 100]]) }, any, { 5: 1 }],
    ['gives what does not fit to what does', {}, (token) => token !== 7, { 3: 0.5, 9: 0.3, 1: 0.2 }],
    [
      'takes the likeliest that fits if top_p keeps none that does',
      { topP: 0.6 },
      (token) => token === 1 || token === 5,
      { 1: 1 },
    ],
  ] satisfies [string, Partial<TokenSamplerOptions>, Admits, Readonly<Record<number, number>>][])(
    '%s',
    (_, options, admits, expected) => expectShares(shares(options, admits), expected),
  )

  it('has no token if everything is removed', () => {
    const bias = new Map([...model.keys()].map((token) => [token, -100]))
    expect([...createSampler({ ...neutral, bias }).order(model)]).toEqual([])
  })

  it('subtracts penalties by how often a token was taken', () => {
    const penalty = fc.double({ min: -2, max: 2, noNaN: true })
    const counts = fc.array(fc.constantFrom(...model.keys()), { maxLength: 12 })
    forAll(penalty, penalty, counts, (frequencyPenalty, presencePenalty, taken) => {
      const sampler = createSampler({ ...neutral, temperature: 0, frequencyPenalty, presencePenalty })
      for (const token of taken) sampler.accept(token)
      const logits = [...model].map(([token, probability]) => {
        const count = taken.filter((other) => other === token).length
        const logit = probability > 0 ? Math.log(probability) : -104
        return logit - count * frequencyPenalty - (count > 0 ? presencePenalty : 0)
      })
      const drawn = [...model.keys()].indexOf(first(sampler) ?? -1)
      expect(logits[drawn]).toBeCloseTo(Math.max(...logits), 9)
    })
  })

  it('takes the lowest id of equals at temperature 0', () => {
    const even = new Map([4, 2, 8].map((token) => [token, 1 / 3]))
    expect([...createSampler({ ...neutral, temperature: 0 }).order(even)]).toEqual([2, 4, 8])
  })

  it('repeats itself with a seed and else does not', () => {
    const drawn = (seed: number) => {
      const sampler = createSampler({ ...neutral, seed })
      return Array.from({ length: 40 }, () => first(sampler))
    }
    forAll(fc.nat(), (seed) => {
      expect(drawn(seed)).toEqual(drawn(seed))
    })
    expect(new Set(Array.from({ length: 50 }, (_, seed) => drawn(seed).join())).size).toBe(50)
  })
})

it('createRandom is even between 0 and 1, both excluded', () => {
  const random = createRandom(0)
  const cells = Array<number>(16).fill(0)
  for (let draw = 0; draw < 16_000; draw += 1) {
    const value = random()
    expect(value > 0 && value < 1).toBe(true)
    const cell = Math.floor(value * 16)
    cells[cell] = (cells[cell] ?? 0) + 1
  }
  const statistic = cells.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
  expect(statistic).toBeLessThan(60)
})
