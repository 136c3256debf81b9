// Values of a schema by chance. A list of numbers makes the choices; after its end each choice is the simplest one. A
// shorter list and smaller numbers so give a simpler value, and fast-check shrinks the list, not the value.
import * as fc from 'fast-check'
import { memoizePer } from '../../harness/memoize.ts'
import type { Json, Schema, SchemaReader } from '../../spec/openapi/schema-walk.ts'
import { type Choices, SchemaValues } from '../../spec/openapi/schema-values.ts'
import { anyCharacter, anyText } from './hostile-text.ts'

/** An optional member or a null occurs once in about this number of values. */
const RARE = 3

/** The most choices that a list makes. */
const MOST_CHOICES = 400

const choices = fc.array(fc.nat(), { maxLength: MOST_CHOICES, size: 'max' })

export interface ValueOptions {
  /** Adds unknown members to objects whose schema tolerates them. */
  readonly unknownMembers?: boolean
}

/** Values that `make` takes from a schema of `reader`. */
export function randomValue<Value>(
  reader: SchemaReader,
  make: (values: SchemaValues) => Value,
  options: ValueOptions = {},
): fc.Arbitrary<Value> {
  return choices.map((numbers) => make(new SchemaValues(reader, chosenBy(numbers, options))))
}

function chosenBy(numbers: readonly number[], { unknownMembers = false }: ValueOptions): Choices {
  let used = 0
  const below = (count: number): number => (numbers[used++] ?? 0) % count
  const isRare = (): boolean => below(RARE + 1) === RARE
  /** A value of `arbitrary`, which shrinks to `simple`. */
  const draw = <Value>(simple: Value, arbitrary: fc.Arbitrary<Value>): Value => {
    const seed = numbers[used++] ?? 0
    return seed === 0 ? simple : (fc.sample(arbitrary, { seed, numRuns: 1 })[0] ?? simple)
  }
  const text = (schema: Schema): string => draw(simpleText(schema), textOf(schema))
  return {
    isRare,
    pick: ([first, ...others]) => others[below(others.length + 1) - 1] ?? first,
    count: (_, least, most) => least + below(most - least + 1),
    text,
    // JavaScript sets the prototype by this name.
    key: (schema) => text(schema).replace(/^__proto__$/, 'x'),
    number: (schema) => draw(clamped(0, schema), numberOf(schema)),
    json: () => draw<Json>(null, anyJson),
    unknownMembers: () =>
      unknownMembers && isRare() ? { [draw('x_a', unknownName)]: draw(null, anyJson) } : {},
  }
}

/** A name that does not occur in any schema of the format. */
const unknownName = fc.stringMatching(/^x_[a-z]{1,12}$/)

const anyJson = fc.jsonValue({ maxDepth: 2, stringUnit: anyCharacter }) as fc.Arbitrary<Json>

/** Text of an allowed length in code points, sometimes of the greatest one. */
const textOf = memoizePer(({ pattern, minLength = 0, maxLength }: Schema): fc.Arbitrary<string> => {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  const short = anyText({ minLength, maxLength: Math.min(maxLength ?? Infinity, minLength + 20) })
  return maxLength === undefined ? short : mostly(short, 'x'.repeat(maxLength), '😀'.repeat(maxLength))
})

const numberOf = memoizePer((schema: Schema): fc.Arbitrary<number> => {
  const { minimum: min = -1000, maximum: max = 1000 } = schema
  const safe = (bound: number) => Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, bound))
  const isInteger = [schema.type ?? []].flat().includes('integer')
  const inside = isInteger
    ? fc.integer({ min: safe(min), max: safe(max) })
    : fc.double({ min, max, noNaN: true })
  return mostly(inside, min, max)
})

function mostly<Value>(common: fc.Arbitrary<Value>, ...rare: readonly Value[]): fc.Arbitrary<Value> {
  return fc.oneof({ weight: RARE, arbitrary: common }, { weight: 1, arbitrary: fc.constantFrom(...rare) })
}

function simpleText({ pattern, minLength = 0 }: Schema): string {
  if (pattern === undefined) return 'a'.repeat(minLength)
  return ['a', '1'].find((text) => new RegExp(pattern).test(text)) ?? ''
}

function clamped(value: number, { minimum = -Infinity, maximum = Infinity }: Schema): number {
  return Math.min(maximum, Math.max(minimum, value))
}
