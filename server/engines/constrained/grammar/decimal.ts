// Exact arithmetic with JSON numbers: a double stands for the shortest decimal that parses to it.
import {
  type ExactNumber,
  isExactNumber,
  type Significand,
  significandOf,
} from '../../../../spec/protocol/exact-json.ts'
import { SchemaProblem } from '../../schema-problem.ts'

/** A number of a JSON value. */
export type JsonNumber = number | ExactNumber

export function isJsonNumber(value: unknown): value is JsonNumber {
  return typeof value === 'number' || isExactNumber(value)
}

/** The nearest double, for arithmetic that need not be exact. */
export function nearest(value: JsonNumber): number {
  return typeof value === 'number' ? value : Number(value.rawJSON)
}

function significand(value: JsonNumber): Significand {
  return significandOf(typeof value === 'number' ? String(value) : value.rawJSON)
}

/** A JSON number that is the same text for equal numbers. */
export function numberText(value: JsonNumber): string {
  if (typeof value === 'number') return JSON.stringify(value)
  const { isNegative, digits, exponent } = significand(value)
  return `${isNegative ? '-' : ''}${digits}e${exponent}`
}

/** Whether the value has no fraction, however it is written: 2.0 is an integer. */
export function isInteger(value: JsonNumber): boolean {
  return typeof value === 'number' ? Number.isInteger(value) : significand(value).exponent >= 0
}

/** Negative if `one` is below `other`, positive if it is above, otherwise 0. */
export function compareNumbers(one: JsonNumber, other: JsonNumber): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const [a, b] = [significand(one), significand(other)]
  const sign = (each: Significand) => (each.digits === '' ? 0 : each.isNegative ? -1 : 1)
  if (sign(a) !== sign(b) || sign(a) === 0) return sign(a) - sign(b)
  // The powers of ten of the first digits.
  const size = a.digits.length + a.exponent - b.digits.length - b.exponent
  const order = size === 0 ? (a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0) : size
  return order * sign(a)
}

/** Whether `value` is a multiple of `step`, which is above 0. No power of ten is multiplied out, however large it is. */
export function isMultiple(value: JsonNumber, step: JsonNumber): boolean {
  const [a, b] = [significand(value), significand(step)]
  if (a.digits === '') return true
  // Neither significand ends in a zero.
  if (a.exponent < b.exponent || b.digits === '') return false
  const divisor = BigInt(b.digits)
  return (BigInt(a.digits) * powerOfTen(a.exponent - b.exponent, divisor)) % divisor === 0n
}

/** 10 to the power of `exponent`, modulo `divisor`. */
function powerOfTen(exponent: number, divisor: bigint): bigint {
  let result = 1n
  let square = 10n % divisor
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = (result * square) % divisor
    square = (square * square) % divisor
  }
  return result
}

/** `units` × 10^-`places`. */
export interface Decimal {
  readonly units: bigint
  readonly places: number
}

/** The largest power of ten that is multiplied out; that of every double is smaller. */
const MAX_EXPONENT = 1000

/** The number as a decimal. Throws `SchemaProblem` if it would have too many digits. */
export function decimalOf(value: JsonNumber): Decimal {
  const { isNegative, digits, exponent } = significand(value)
  if (Math.abs(exponent) > MAX_EXPONENT)
    throw new SchemaProblem(undefined, `expected numbers with powers of ten up to ${MAX_EXPONENT}`)
  const units = BigInt(`${isNegative ? '-' : ''}${digits || '0'}`)
  return exponent <= 0 ? { units, places: -exponent } : { units: units * 10n ** BigInt(exponent), places: 0 }
}

/** The decimal as a JSON number: a double if it holds the value. */
export function numberOf({ units, places }: Decimal): JsonNumber {
  const digits = `${units}`.replace('-', '').padStart(places + 1, '0')
  const point = digits.length - places
  const text = `${units < 0n ? '-' : ''}${digits.slice(0, point)}${places > 0 ? `.${digits.slice(point)}` : ''}`
  const value = Number(text)
  const exact = JSON.rawJSON(text)
  return Number.isFinite(value) && compareNumbers(value, exact) === 0 ? value : exact
}

/** The decimal in units of 10^-`wanted`: exact, or rounded down. */
export function unitsOf({ units, places }: Decimal, wanted: number): { units: bigint; exact: boolean } {
  if (wanted >= places) return { units: units * 10n ** BigInt(wanted - places), exact: true }
  const divisor = 10n ** BigInt(places - wanted)
  const rest = ((units % divisor) + divisor) % divisor
  return { units: (units - rest) / divisor, exact: rest === 0n }
}

/** The least common multiple; both are above 0. */
export function commonMultiple(a: Decimal, b: Decimal): Decimal {
  const places = Math.max(a.places, b.places)
  const [left, right] = [unitsOf(a, places).units, unitsOf(b, places).units]
  return { units: (left / divisor(left, right)) * right, places }
}

function divisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : divisor(b, a % b)
}
