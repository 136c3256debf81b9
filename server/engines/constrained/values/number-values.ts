// Numbers that a JSON Schema may accept, the most likely first; always the same ones. They are computed as decimals, because
// a bound may have more digits than a double holds.
import {
  compareNumbers,
  type Decimal,
  decimalOf,
  type JsonNumber,
  numberOf,
  unitsOf,
} from '../grammar/decimal.ts'
import { isOfType } from '../schema/json-types.ts'
import type { Alternative } from '../schema/schema-keywords.ts'
import { boundsIn, numbersIn } from '../schema/joined-keywords.ts'
import { keepsNumber } from '../schema/schema-constants.ts'

/** The number of multiples or of neighbours that are tried. */
const TRIED = 100

/** Numbers that `parts` allow, then one that they may refuse, whose error explains the refusal. */
export function* numbers(parts: Alternative, type: 'integer' | 'number'): Generator<JsonNumber> {
  yield* candidates(parts, type).filter((value) => isOfType(value, type) && keepsNumber(value, parts))
  yield* candidates(parts, type).take(1)
}

function* candidates(parts: Alternative, type: 'integer' | 'number'): Generator<JsonNumber> {
  const [given = type === 'integer' ? 1 : 0] = numbersIn(parts, 'multipleOf')
  const bounds = boundsIn(parts)
  const ends = (side: 1 | -1) =>
    bounds
      .filter((bound) => bound.side === side)
      .map(({ value }) => value)
      .toSorted((a, b) => side * compareNumbers(a, b))
  const [from, to] = [ends(1).at(-1), ends(-1).at(-1)]
  const isPositive = from !== undefined && compareNumbers(from, 0) > 0
  const isNegative = to !== undefined && compareNumbers(to, 0) < 0
  const start = decimalOf(isPositive ? from : isNegative ? to : 0)
  const direction = to !== undefined && compareNumbers(to, 0) <= 0 ? -1n : 1n
  const step = decimalOf(given)
  const places = Math.max(start.places, step.places)
  const [at, by] = [start, step].map((each) => unitsOf(each, places).units)
  if (at === undefined || by === undefined) return
  const number = (units: bigint) => numberOf({ units, places })
  if (by > 0n) {
    // The first multiple from the start on, away from 0.
    const rest = at % by
    const first = rest === 0n ? at : at - rest + (isPositive ? by : isNegative ? -by : 0n)
    for (let count = 0n; count < TRIED; count += 1n) yield number(first + direction * count * by)
    return
  }
  yield number(at)
  if (type === 'number' && from !== undefined && to !== undefined)
    yield middle(decimalOf(from), decimalOf(to))
  const one = 10n ** BigInt(places)
  for (let count = 1n; count < TRIED; count += 1n) yield number(at + direction * count * one)
}

function middle(a: Decimal, b: Decimal): JsonNumber {
  const places = Math.max(a.places, b.places) + 1
  return numberOf({ units: (unitsOf(a, places).units + unitsOf(b, places).units) / 2n, places })
}
