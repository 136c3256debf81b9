// Integers that a double does not hold, for a validator of JSON Schema that computes with doubles: each gets another integer,
// in the same order, so that equality, uniqueness and bounds are those of the exact numbers.
import { MAX_DEPTH, exactNumber } from '../../../../../harness/json-text.ts'

/** Whether a value of `exactJson` has a number that a double does not hold. */
function hasRawNumber(value: unknown, depth = 0): boolean {
  if (JSON.isRawJSON(value)) return true
  return isOpen(value, depth) && Object.values(value).some((member) => hasRawNumber(member, depth + 1))
}

/** Whether a value has members that are read: `exactJson` returns none that is deeper, and a stack has an end. */
function isOpen(value: unknown, depth: number): value is object {
  return typeof value === 'object' && value !== null && depth <= MAX_DEPTH
}

/** The text of a number in a value of `exactJson`; undefined for any other value. */
function sourceOf(value: unknown): string | undefined {
  if (typeof value === 'number') return exactNumber(String(value))
  return JSON.isRawJSON(value) ? JSON.stringify(value) : undefined
}

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER)

/** The integer if it is one that not every double near it holds. */
function largeInteger(value: unknown): bigint | undefined {
  const source = sourceOf(value)
  if (source === undefined || !/^-?\d{16,}$/.test(source)) return undefined
  const integer = BigInt(source)
  return integer > LARGEST || integer < -LARGEST ? integer : undefined
}

function collect(value: unknown, into: Set<bigint>, depth = 0): void {
  const integer = largeInteger(value)
  if (integer !== undefined) into.add(integer)
  else if (isOpen(value, depth)) for (const member of Object.values(value)) collect(member, into, depth + 1)
}

/**
 * These values of `exactJson` with numbers of JavaScript alone. A fraction is rounded: strict parsers read a double, and
 * WIRE-37 judges what is lost.
 */
export function withStandIns(values: readonly unknown[]): readonly unknown[] {
  if (!values.some(hasRawNumber)) return values
  const integers = new Set<bigint>()
  for (const value of values) collect(value, integers)
  const positive = [...integers].filter((one) => one > 0n).toSorted((a, b) => (a < b ? -1 : 1))
  const negative = [...integers].filter((one) => one < 0n).toSorted((a, b) => (a > b ? -1 : 1))
  // Even integers behind the last one of which a double holds each neighbour.
  const placed = (place: number): number => 2 ** 53 + 2 * place
  const standIns = new Map([
    ...positive.map((one, place) => [one, placed(place)] as const),
    ...negative.map((one, place) => [one, -placed(place)] as const),
  ])
  const replace = (value: unknown, depth = 0): unknown => {
    const integer = largeInteger(value)
    if (integer !== undefined) return standIns.get(integer)
    if (JSON.isRawJSON(value)) return Number(sourceOf(value))
    if (!isOpen(value, depth)) return value
    if (Array.isArray(value)) return value.map((member) => replace(member, depth + 1))
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, replace(member, depth + 1)]),
    )
  }
  return values.map((value) => replace(value))
}
