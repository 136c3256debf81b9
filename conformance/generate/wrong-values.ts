// Values that break one constraint of a schema and no second one.
import * as fc from 'fast-check'
import type { Json } from '../../spec/openapi/schema-walk.ts'
import { anyJson, textMatching, unknownName } from './schema-values.ts'

/** A member that an object with these properties does not know. */
export function unknownMember(known: object = {}): fc.Arbitrary<readonly [name: string, value: Json]> {
  return fc.tuple(
    unknownName.filter((name) => !Object.hasOwn(known, name)),
    anyJson,
  )
}

/** A word of lower-case letters, not made from a pattern: that would take milliseconds each time. */
export function word(minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength, maxLength })
}

const valuesByType: readonly (readonly [string, fc.Arbitrary<Json>])[] = [
  ['string', fc.string()],
  ['number', fc.integer()],
  ['boolean', fc.boolean()],
  ['array', fc.array(fc.integer(), { maxLength: 2 })],
  ['object', fc.dictionary(word(1, 10), fc.integer(), { maxKeys: 2, noNullPrototype: true })],
]

export function otherType(types: readonly string[]): fc.Arbitrary<Json> {
  const accepted = new Set(types.map((type) => (type === 'integer' ? 'number' : type)))
  return fc.oneof(...valuesByType.flatMap(([type, value]) => (accepted.has(type) ? [] : [value])))
}

/** A number within the bounds that is not an integer. */
export function fraction(min = -1000, max = 1000): fc.Arbitrary<number> {
  return fc.integer({ min: Math.max(min, -1000), max: Math.min(max, 1000) - 1 }).map((whole) => whole + 0.5)
}

/** A number beyond a bound, far enough to be so in every floating-point format. */
export function beyond(bound: number, side: 1 | -1, isInteger: boolean): fc.Arbitrary<number> {
  if (!Number.isSafeInteger(bound)) return fc.constantFrom(bound * 2, bound * 1e6)
  const distance = fc.integer({ min: 1, max: 1000 })
  return distance.map((distance) => bound + side * (isInteger ? distance : distance / 100))
}

/** Often almost one of the listed values. */
export function notOneOf(values: readonly Json[]): fc.Arbitrary<Json> {
  const others = values.flatMap((value) =>
    typeof value === 'string' ? [value.toUpperCase(), `${value} `] : [],
  )
  return fc.oneof(fc.constantFrom('', ...others), fc.string()).filter((value) => !values.includes(value))
}

/** Text that does not match, and not only because of a dot, which some deployments accept in names. */
export function notMatching(pattern: string): fc.Arbitrary<string> {
  const matching = new RegExp(pattern)
  const mutated = fc
    .tuple(textMatching(pattern), fc.constantFrom(' ', '/', 'é', '😀', '\n', '"'))
    .map(([text, character]) => text + character)
  return fc
    .oneof(mutated, fc.constantFrom('', 'x'.repeat(65)))
    .filter((text) => !matching.test(text) && !matching.test(text.replaceAll('.', '')))
}

/** Text of more than `max` characters, of one to four bytes each. */
export function tooLong(max: number): fc.Arbitrary<string> {
  const unit = fc.constantFrom('x', 'é', '😀')
  return fc.tuple(unit, fc.integer({ min: max + 1, max: max + 8 })).map(([unit, count]) => unit.repeat(count))
}
