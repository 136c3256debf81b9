// The grammar of numbers has every number that keeps the rules, within its limit of digits, and no other.
import { expect, it } from 'vitest'
import { fc, forAllWith } from '../../../../spec/property.fixture.ts'
import { begin } from './byte-grammar.ts'
import { textOf } from './grammar.fixture.ts'
import type { Keywords } from '../schema/schema-keywords.ts'
import { boundsIn } from '../schema/joined-keywords.ts'
import { numberGrammar, type NumberRules } from './number-grammar.ts'

const rulesOf = ({
  integer = false,
  multipleOf = [],
  ...bounds
}: Partial<Omit<NumberRules, 'bounds'>> & Keywords): NumberRules => ({
  integer,
  multipleOf,
  bounds: boundsIn([bounds]),
})
const admits = (rules: NumberRules, text: string): boolean => {
  const grammar = numberGrammar(rules)
  return grammar !== undefined && begin(grammar).after(Buffer.from(text))?.mayEnd === true
}

it('has exactly the integers between bounds, and of a multiple', () => {
  const bound = fc.integer({ min: -1200, max: 1200 })
  forAllWith(
    { numRuns: 500 },
    bound,
    bound,
    fc.integer({ min: 1, max: 30 }),
    bound,
    (minimum, exclusiveMaximum, step, value) => {
      const rules = rulesOf({ integer: true, minimum, exclusiveMaximum, multipleOf: [step] })
      const keeps = minimum <= value && value < exclusiveMaximum && value % step === 0
      expect(admits(rules, String(value))).toBe(keeps)
      expect(admits(rules, `0${value}`) || admits(rules, `${value}.0`)).toBe(false)
    },
  )
})

it('has exactly the decimals between bounds, with all decimal places that they need', () => {
  const bound = fc.integer({ min: -50_000, max: 50_000 }).map((units) => units / 1000)
  const few = fc.integer({ min: -500_000, max: 500_000 }).map((units) => units / 10_000)
  forAllWith({ numRuns: 500 }, bound, bound, few, (exclusiveMinimum, maximum, value) => {
    const rules = rulesOf({ exclusiveMinimum, maximum })
    expect(admits(rules, String(value))).toBe(exclusiveMinimum < value && value <= maximum)
  })
})

it('has only numbers that keep the rules as doubles', () => {
  const bound = fc.double({ noNaN: true, min: -1e12, max: 1e12 })
  forAllWith({ numRuns: 200 }, bound, bound, fc.nat(), fc.nat(20), (a, b, seed, wander) => {
    const [exclusiveMinimum, exclusiveMaximum] = [Math.min(a, b), Math.max(a, b)]
    const grammar = numberGrammar(rulesOf({ exclusiveMinimum, exclusiveMaximum }))
    fc.pre(grammar !== undefined)
    const value = Number(textOf(grammar, seed, wander))
    expect(value).toBeGreaterThan(exclusiveMinimum)
    expect(value).toBeLessThan(exclusiveMaximum)
  })
})

it.each([
  [{ multipleOf: [0.01] }, '12.34', true],
  [{ multipleOf: [0.01] }, '12.345', false],
  [{ multipleOf: [0.1, 0.25] }, '0.5', true],
  [{ multipleOf: [0.1, 0.25] }, '0.1', false],
  [{ integer: true, multipleOf: [2.5] }, '5', true],
  [{ integer: true, multipleOf: [2.5] }, '2', false],
  [{ minimum: 0 }, '-0', false],
  [{ minimum: 1e10 }, '10000000000', true],
  [{ exclusiveMinimum: 0, maximum: 1e-7 }, '0.0000001', true],
  [{ minimum: 1e20 }, '100000000000000000000', false],
  [{ minimum: -5, maximum: -3 }, '-4.5', true],
] satisfies [Parameters<typeof rulesOf>[0], string, boolean][])('%j: %s is %s', (rules, text, accepted) => {
  expect(admits(rulesOf(rules), text)).toBe(accepted)
})

it('reports a multiple that cannot be counted', () => {
  expect(() => numberGrammar(rulesOf({ multipleOf: [1e-15] }))).toThrow(
    expect.objectContaining({ keyword: 'multipleOf' }),
  )
})
