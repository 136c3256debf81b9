// Equality of JSON values as JSON Schema defines it.
import { isExactNumber } from '../../../../spec/protocol/exact-json.ts'
import { isRecord } from '../../../../spec/schemas/collections.ts'
import { numberText } from '../grammar/decimal.ts'

/** A text that is equal for equal JSON values, whatever the order of their members, and different for others. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object') return JSON.stringify(value)
  return JSON.stringify(value, (_, inner: unknown) => {
    if (isExactNumber(inner)) return JSON.rawJSON(numberText(inner))
    return isRecord(inner) ? Object.fromEntries(Object.entries(inner).toSorted(byName)) : inner
  })
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}
