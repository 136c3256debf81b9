// Equality of JSON values as JSON Schema defines it, and the keywords that compare. They replace those of ajv, which call
// members `toString` or `valueOf` of a client's object.
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { isRecord } from '../../../../spec/schemas/collections.ts'

/** A text that is equal for equal JSON values, whatever the order of their members, and different for others. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object') return JSON.stringify(value)
  return JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).toSorted(byName)) : inner,
  )
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}

/** Gives ajv keywords `const`, `enum` and `uniqueItems` that compare by `canonical`, in linear time. */
export function compareByText(ajv: Ajv2020): void {
  for (const keyword of ['const', 'enum', 'uniqueItems']) ajv.removeKeyword(keyword)
  ajv.addKeyword({ keyword: 'const', compile: (wanted: unknown) => oneOf([wanted]) })
  ajv.addKeyword({ keyword: 'enum', schemaType: 'array', compile: oneOf })
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isWanted: boolean, items: readonly unknown[]) =>
      !isWanted || new Set(items.map(canonical)).size === items.length,
  })
}

function oneOf(wanted: readonly unknown[]): (value: unknown) => boolean {
  const texts = new Set(wanted.map(canonical))
  const hasParts = wanted.some((value) => typeof value === 'object')
  return (value) => (hasParts || typeof value !== 'object') && texts.has(canonical(value))
}
