// The values of `const` and `enum` that the other keywords allow.
import { compareNumbers, isJsonNumber, isMultiple, type JsonNumber } from '../grammar/decimal.ts'
import { spend } from '../grammar/effort.ts'
import type { Alternative, Refuse } from './schema-keywords.ts'
import { canonical } from './json-equality.ts'
import { EXPRESSED, listOf } from './schema-keywords.ts'
import { boundsIn, numbersIn } from './joined-keywords.ts'
import { isOfType, namedTypes } from './json-types.ts'
import { lengthAutomata, patternAutomata } from './string-rules.ts'
import { acceptsText } from '../grammar/string-grammar.ts'

/** The allowed constants; undefined if `parts` have none. Refuses keywords that it does not evaluate. */
export function constantsOf(parts: Alternative, refuse: Refuse): unknown[] | undefined {
  const lists = parts.flatMap((part) => [
    ...('const' in part ? [[part['const']]] : []),
    ...('enum' in part ? [listOf(part['enum'])] : []),
  ])
  const [first, ...others] = lists.map(byText)
  if (first === undefined) return undefined
  const types = namedTypes(parts)
  return first
    .entries()
    .filter(
      ([text, value]) =>
        others.every((list) => list.has(text)) &&
        types.some((type) => isOfType(value, type)) &&
        keeps(value, parts, refuse),
    )
    .map(([, value]) => value)
    .toArray()
}

/** The values without duplicates, in order, by their canonical text. */
function byText(values: readonly unknown[]): ReadonlyMap<string, unknown> {
  spend(values.length)
  return new Map(values.map((value) => [canonical(value), value]))
}

function keeps(value: unknown, parts: Alternative, refuse: Refuse): boolean {
  if (typeof value === 'string')
    return acceptsText([...patternAutomata(parts, refuse), ...lengthAutomata(parts)], value)
  if (isJsonNumber(value)) return keepsNumber(value, parts)
  if (typeof value !== 'object' || value === null) return true
  const type = Array.isArray(value) ? 'array' : 'object'
  const beside = EXPRESSED[type]?.find((name) => parts.some((part) => name in part))
  if (beside !== undefined) refuse(beside, 'it stands beside constants of its type')
  return true
}

/** Whether the bounds and `multipleOf` of `parts` allow `number`. */
export function keepsNumber(number: JsonNumber, parts: Alternative): boolean {
  return (
    boundsIn(parts).every(({ value, side, isExcluded }) => {
      const order = compareNumbers(number, value) * side
      return isExcluded ? order > 0 : order >= 0
    }) && numbersIn(parts, 'multipleOf').every((step) => isMultiple(number, step))
  )
}
