// Numbers that a JSON Schema may accept, the most likely first; always the same ones.
import type { Alternative } from './schema-alternatives.ts'
import { boundsIn, numbersIn } from './joined-keywords.ts'

export function* numbers(parts: Alternative, type: 'integer' | 'number'): Generator<number> {
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
    yield Number.isFinite(from) && Number.isFinite(to) ? (from + to) / 2 : start + (to <= 0 ? -1 : 1)
    for (let count = 1; count < 100; count += 1) yield start + count
  }
}
