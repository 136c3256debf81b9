// Every pair of settings that some row may show is shown by a row, each row keeps the rules, and the seed decides all.
import { expect, test } from 'vitest'
import { fc, forAllWith } from '../../spec/property.fixture.ts'
import { ABSENT, type Factors, type Rules, type Setting, coveringArray } from './covering-array.ts'

/** Up to four factors with up to three values besides absence. */
const someFactors = fc
  .array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 4 })
  .map((sizes): Factors =>
    Object.fromEntries(
      sizes.map((size, factor) => [
        `f${factor}`,
        [ABSENT, ...Array.from({ length: size }, (_, value) => `${value}`)],
      ]),
    ),
  )

const nameOf = ({ factor, value }: Setting): string => `${factor}=${value}`

/** A relation of settings of two factors that a number decides; it never holds for the same factor. */
function relation(seed: number, share: number) {
  return (one: Setting, other: Setting): boolean => {
    if (one.factor === other.factor) return false
    const text = `${seed} ${nameOf(one)} ${nameOf(other)}`
    const hash = Array.from(text).reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 9973, 7)
    return hash % 100 < share
  }
}

function allRows(factors: Factors, { excludes = () => false }: Rules): readonly (readonly Setting[])[] {
  let rows: (readonly Setting[])[] = [[]]
  for (const [factor, values] of Object.entries(factors))
    rows = rows.flatMap((row) => values.map((value) => row.concat({ factor, value })))
  return rows.filter((row) => row.every((one) => row.every((other) => !excludes(one, other))))
}

/** The pairs of present settings that a row shows: no third setting hides one of them. */
function pairsIn(row: readonly Setting[], { hides = () => false }: Rules): readonly string[] {
  const present = row.filter(({ value }) => value !== ABSENT)
  return present.flatMap((one) =>
    present
      .filter((other) => nameOf(one) < nameOf(other))
      .filter((other) =>
        row.every((third) => [one, other].includes(third) || (!hides(third, one) && !hides(third, other))),
      )
      .map((other) => `${nameOf(one)} ${nameOf(other)}`),
  )
}

test('covers each pair that a row may show, in rows that keep the rules', () => {
  forAllWith({ numRuns: 60 }, someFactors, fc.nat(1000), fc.nat(1000), (factors, ruleSeed, seed) => {
    const rules = { excludes: relation(ruleSeed, 15), hides: relation(ruleSeed + 1, 15) }
    const rows = coveringArray(factors, rules, seed)
    const possible = allRows(factors, rules)
    const valid = new Set(possible.map((row) => row.map(nameOf).toSorted().join(' ')))
    for (const row of rows) expect(valid).toContain(row.map(nameOf).toSorted().join(' '))
    const due = new Set(possible.flatMap((row) => pairsIn(row, rules)))
    expect(new Set(rows.flatMap((row) => pairsIn(row, rules)))).toEqual(due)
  })
})

test('is the same for the same seed, and far smaller than all combinations', () => {
  const factors = Object.fromEntries(
    Array.from({ length: 8 }, (_, factor) => [`f${factor}`, [ABSENT, 'a', 'b', 'c']]),
  )
  const rows = coveringArray(factors, {}, 3)
  expect(coveringArray(factors, {}, 3)).toEqual(rows)
  expect(coveringArray(factors, {}, 4)).not.toEqual(rows)
  expect(rows.length).toBeLessThanOrEqual(24)
})
