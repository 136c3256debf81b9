// The grammar of numbers between bounds and of multiples, digit by digit. Numbers have no exponent and at most 15 digits,
// so that parsing one returns exactly the written value.
import { all, byte, type Grammar, literal, one } from './byte-grammar.ts'
import { spend } from './effort.ts'
import { commonMultiple, decimalOf, unitsOf } from './decimal.ts'
import { SchemaProblem } from '../schema/schema-problem.ts'
import { anyInteger, anyNumber } from './json-text.ts'

export interface NumberRules {
  readonly integer: boolean
  /** Bounds; the strictest applies. */
  readonly minimum: readonly number[]
  readonly exclusiveMinimum: readonly number[]
  readonly maximum: readonly number[]
  readonly exclusiveMaximum: readonly number[]
  /** Each above 0. */
  readonly multipleOf: readonly number[]
}

/** Maximum number of digits that a double represents exactly. */
export const DIGITS = 15

/** Decimal places, unless a bound needs more or a multiple fewer. */
const PLACES = 4

/** Maximum number of different remainders. */
const MAX_STEP = 2000

/** The numbers that satisfy `rules`; undefined if none of at most `DIGITS` digits does. Throws `SchemaProblem`. */
export function numberGrammar(rules: NumberRules): Grammar | undefined {
  const { integer, minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = rules
  const bounded = [minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf].some(
    (list) => list.length > 0,
  )
  if (!bounded) return integer ? anyInteger : anyNumber

  const { places, step } = stepOf(rules)
  const limit = 10n ** BigInt(DIGITS) - 1n
  const low = (value: number, above: boolean): bigint => {
    const { units, exact } = unitsOf(decimalOf(value), places)
    return above || !exact ? units + 1n : units
  }
  const high = (value: number, below: boolean): bigint => {
    const { units, exact } = unitsOf(decimalOf(value), places)
    return below && exact ? units - 1n : units
  }
  const lowest = [
    ...minimum.map((value) => low(value, false)),
    ...exclusiveMinimum.map((value) => low(value, true)),
  ]
  const highest = [
    ...maximum.map((value) => high(value, false)),
    ...exclusiveMaximum.map((value) => high(value, true)),
  ]
  const from = lowest.reduce((a, b) => (a > b ? a : b), -limit)
  const to = highest.reduce((a, b) => (a < b ? a : b), limit)
  const negative = from < 0n ? magnitudes(to < 0n ? -to : 1n, -from) : undefined
  const positive = to >= 0n ? magnitudes(from > 0n ? from : 0n, to) : undefined
  const ways = [...(positive ? [positive] : []), ...(negative ? [all(literal('-'), negative)] : [])]
  return ways.length === 0 ? undefined : one(...ways)

  function magnitudes(least: bigint, most: bigint): Grammar | undefined {
    const first = ((least + step - 1n) / step) * step
    const last = ((most < limit ? most : limit) / step) * step
    return first > last ? undefined : between({ low: first, high: last, places, step: Number(step) })
  }
}

/** The bound that only numbers with more digits satisfy, if there is one. */
export function boundBeyondDigits({
  minimum,
  exclusiveMinimum,
  maximum,
  exclusiveMaximum,
}: NumberRules): string | undefined {
  const limit = 10 ** DIGITS
  const lower = Object.entries({ minimum, exclusiveMinimum }).find(([, list]) =>
    list.some((value) => value >= limit - 1),
  )
  const upper = Object.entries({ maximum, exclusiveMaximum }).find(([, list]) =>
    list.some((value) => value <= 1 - limit),
  )
  return (lower ?? upper)?.[0]
}

/** The decimal places, and the step in units of the last place. */
function stepOf({ integer, multipleOf, ...bounds }: NumberRules): { places: number; step: bigint } {
  if (!integer && multipleOf.length === 0) {
    const decimals = Object.values(bounds).flat().map(decimalOf)
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

interface Interval {
  /** Multiples of `step`, in units of the last place. */
  readonly low: bigint
  readonly high: bigint
  readonly places: number
  readonly step: number
}

/** The multiples of `step` in an interval. Trailing zeros are allowed. */
function between({ low, high, places, step }: Interval): Grammar {
  const size = Math.max(high.toString().length, places + 1)
  const lows = low.toString().padStart(size, '0')
  const highs = high.toString().padStart(size, '0')
  const point = size - places
  const made = new Map<string, Grammar | undefined>()
  /** The remainder of one unit at each digit position. */
  const placed = Array.from({ length: size + 1 }, (_, at) => Number(10n ** BigInt(size - at) % BigInt(step)))

  /** The rest after the digits before `at`; `lower` and `upper` say that these equal the digits of that bound. */
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
