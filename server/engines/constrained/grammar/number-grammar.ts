// The grammar of numbers between bounds and of multiples, digit by digit. Numbers have no exponent and at most 15 digits,
// so that parsing one returns exactly the written value.
import { all, byte, type Grammar, literal, one } from './byte-grammar.ts'
import { spend } from './effort.ts'
import { commonMultiple, decimalOf, type JsonNumber, nearest, unitsOf } from './decimal.ts'
import { SchemaProblem } from '../../schema-problem.ts'
import { anyInteger, anyNumber } from './json-text-grammar.ts'

export interface Bound {
  readonly keyword: string
  readonly value: JsonNumber
  /** 1 if numbers are above it, -1 if they are below it. */
  readonly side: 1 | -1
  readonly isExcluded: boolean
}

export interface NumberRules {
  readonly integer: boolean
  /** All apply. */
  readonly bounds: readonly Bound[]
  /** Each above 0. */
  readonly multipleOf: readonly JsonNumber[]
}

/** Maximum number of digits that a double represents exactly. */
export const DIGITS = 15

/** Decimal places, unless a bound needs more or a multiple fewer. */
const PLACES = 4

/** Maximum number of different remainders. */
const MAX_STEP = 2000

/** The numbers that satisfy `rules`; undefined if none of at most `DIGITS` digits does. Throws `SchemaProblem`. */
export function numberGrammar(rules: NumberRules): Grammar | undefined {
  const { integer, bounds, multipleOf } = rules
  if (bounds.length + multipleOf.length === 0) return integer ? anyInteger : anyNumber

  const { places, step } = stepOf(rules)
  const limit = 10n ** BigInt(DIGITS) - 1n
  let [from, to] = [-limit, limit]
  for (const { value, side, isExcluded } of bounds) {
    const { units, exact } = unitsOf(decimalOf(value), places)
    // `units` are rounded down.
    const low = isExcluded || !exact ? units + 1n : units
    const high = isExcluded && exact ? units - 1n : units
    if (side === 1 && low > from) from = low
    if (side === -1 && high < to) to = high
  }
  const negative = from < 0n ? magnitudes(to < 0n ? -to : 1n, -from) : undefined
  const positive = to >= 0n ? magnitudes(from > 0n ? from : 0n, to) : undefined
  const ways = [...(positive ? [positive] : []), ...(negative ? [all(literal('-'), negative)] : [])]
  return ways.length === 0 ? undefined : one(...ways)

  function magnitudes(least: bigint, most: bigint): Grammar | undefined {
    const first = ((least + step - 1n) / step) * step
    const last = ((most < limit ? most : limit) / step) * step
    return first > last ? undefined : between(first, last, places, Number(step))
  }
}

/** The keyword of a bound that only numbers with more digits satisfy, if there is one. */
export function boundBeyondDigits({ bounds }: NumberRules): string | undefined {
  return bounds.find(({ value, side }) => side * nearest(value) >= 10 ** DIGITS - 1)?.keyword
}

/** The decimal places, and the step in units of the last place. */
function stepOf({ integer, multipleOf, bounds }: NumberRules): { places: number; step: bigint } {
  if (!integer && multipleOf.length === 0) {
    const decimals = bounds.map(({ value }) => decimalOf(value))
    const finest = Math.max(PLACES, ...decimals.map(({ places }) => places + 1))
    const whole = Math.max(
      0,
      ...decimals.map((decimal) => `${unitsOf(decimal, 0).units}`.replace('-', '').length),
    )
    return { places: Math.max(0, Math.min(finest, DIGITS - 1 - whole)), step: 1n }
  }
  const { units, places } = [...(integer ? [1] : []), ...multipleOf].map(decimalOf).reduce(commonMultiple)
  // A multiple of 1 has no decimal places.
  const step = integer ? units / 10n ** BigInt(places) : units
  if (step > BigInt(MAX_STEP) || (!integer && places >= DIGITS))
    throw new SchemaProblem(
      'multipleOf',
      `expected a multiple of at most ${MAX_STEP} units of its last place`,
    )
  return { places: integer ? 0 : places, step }
}

/** The multiples of `step` from `low` to `high`, which are in units of the last place. Trailing zeros are allowed. */
function between(low: bigint, high: bigint, places: number, step: number): Grammar {
  const size = Math.max(high.toString().length, places + 1)
  const lows = low.toString().padStart(size, '0')
  const highs = high.toString().padStart(size, '0')
  const point = size - places
  const made = new Map<string, Grammar | undefined>()
  /** The remainder of one unit at each digit position. */
  const placed = Array.from({ length: size + 1 }, (_, at) => Number(10n ** BigInt(size - at) % BigInt(step)))

  /** The rest after the digits before `at`; `lower` and `upper` are true if these digits equal those of that bound. */
  function after(at: number, lower: boolean, upper: boolean, rest: number): Grammar | undefined {
    const key = `${at} ${lower} ${upper} ${rest}`
    if (made.has(key)) return made.get(key)
    const ends = at >= point && rest === 0 && (!lower || /^0*$/.test(lows.slice(at)))
    const ways = digits(at, lower, upper, rest)
    const further = at === point ? ways.map((way) => all(literal('.'), way)) : ways
    const grammar = ends || further.length > 0 ? one(...(ends ? [all()] : []), ...further) : undefined
    made.set(key, grammar)
    return grammar
  }

  function digits(at: number, lower: boolean, upper: boolean, rest: number, least = 0): Grammar[] {
    if (at === size) return []
    const from = Math.max(least, lower ? Number(lows[at]) : 0)
    const to = upper ? Number(highs[at]) : 9
    return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index).flatMap((digit) => {
      spend(1)
      const remainder = (rest + digit * (placed[at + 1] ?? 0)) % step
      const next = after(
        at + 1,
        lower && digit === Number(lows[at]),
        upper && digit === Number(highs[at]),
        remainder,
      )
      return next === undefined ? [] : [all(byte(0x30 + digit), next)]
    })
  }

  // There are no leading zeros: a number starts with another digit unless its integer part is 0.
  const starts = Array.from({ length: point }, (_, at) => at).flatMap((at) =>
    /^0*$/.test(lows.slice(0, at))
      ? digits(at, true, at === 0 || /^0*$/.test(highs.slice(0, at)), 0, at === point - 1 ? 0 : 1)
      : [],
  )
  return one(...starts)
}
