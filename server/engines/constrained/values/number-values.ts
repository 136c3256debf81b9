// Numbers that a JSON Schema may accept, the most likely first; always the same ones.
import type { Alternative } from '../schema/schema-keywords.ts'
import { boundsIn, numbersIn } from '../schema/joined-keywords.ts'
import { keepsNumber } from '../schema/schema-constants.ts'

/** Numbers that `parts` allow, then one that they may refuse, for the error that says why. */
export function* numbers(parts: Alternative, type: 'integer' | 'number'): Generator<number> {
  yield* candidates(parts, type).filter(
    (value) => (type === 'number' || Number.isInteger(value)) && keepsNumber(value, parts),
  )
  yield* candidates(parts, type).take(1)
}

function* candidates(parts: Alternative, type: 'integer' | 'number'): Generator<number> {
  const [step = type === 'integer' ? 1 : 0] = numbersIn(parts, 'multipleOf')
  const bounds = boundsIn(parts)
  const from = Math.max(...bounds.filter(({ side }) => side === 1).map(({ value }) => value))
  const to = Math.min(...bounds.filter(({ side }) => side === -1).map(({ value }) => value))
  const start = from > 0 ? from : to < 0 ? to : 0
  if (step > 0) {
    const first = (start > 0 ? Math.ceil(start / step) : Math.floor(start / step)) * step
    for (let count = 0; count < 100; count += 1) yield first + (to <= 0 ? -count : count) * step
  } else {
    yield start
    if (type === 'number' && Number.isFinite(from) && Number.isFinite(to)) yield (from + to) / 2
    for (let count = 1; count < 100; count += 1) yield start + (to <= 0 ? -count : count)
  }
}
