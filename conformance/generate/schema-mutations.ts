// The values that stand where a constraint is broken, and how they get there. None of them breaks a second one.
import * as fc from 'fast-check'
import type { Json, JsonObject } from './schema-node.ts'
import { type Located, type Path, anyJson, textMatching, unknownName } from './schema-values.ts'

/** Makes a valid value invalid, with the path from the value to what is at fault. */
export type Mutate = (value: Json) => { readonly value: Json; readonly path: Path }

/** Applies `mutate` to what stands at the path of a value; the new path is that of what is at fault. */
export function mutateAt({ value, path }: Located, mutate: Mutate): Located {
  const mutated = mutate(valueAt(value, path))
  return { value: replaceAt(value, path, mutated.value), path: [...path, ...mutated.path] }
}

function valueAt(value: Json, path: Path): Json {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
    throw new RangeError(`a value without the place that is to be broken: ${path.join('.')}`)
  return valueAt(Reflect.get(value, key), rest)
}

function replaceAt(value: Json, path: Path, replacement: Json): Json {
  const [key, ...rest] = path
  if (key === undefined) return replacement
  if (Array.isArray(value) && typeof key === 'number')
    return value.with(key, replaceAt(valueAt(value, [key]), rest, replacement))
  return { ...object(value), [key]: replaceAt(valueAt(value, [key]), rest, replacement) }
}

export function replace(value: Json): Mutate {
  return () => ({ value, path: [] })
}

export function put(name: string): (replacement: Json) => Mutate {
  return (replacement) => (value) => ({ value: { ...object(value), [name]: replacement }, path: [name] })
}

export function addMember([name, added]: readonly [string, Json]): Mutate {
  return (value) => ({ value: { ...object(value), [name]: added }, path: [] })
}

export function remove(name: string): Mutate {
  return (value) => {
    const { [name]: _, ...rest } = object(value)
    return { value: rest, path: [name] }
  }
}

export function unknownMember(known: object = {}): fc.Arbitrary<Mutate> {
  const name = unknownName.filter((name) => !Object.hasOwn(known, name))
  return fc.tuple(name, anyJson).map(([name, value]) => put(name)(value))
}

/** Leaves the first items of an array. */
export function shorten(length: number): Mutate {
  return (value) => ({ value: Array.isArray(value) ? value.slice(0, length) : value, path: [] })
}

/** `value` as the object that it has to be here. */
export function object(value: Json): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('an object is to be mutated')
  return value as JsonObject
}

/** Any word of small letters. Not by a pattern: making such an arbitrary takes milliseconds each time. */
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

/** A number that is no integer, within the bounds. */
export function fraction(min = -1000, max = 1000): fc.Arbitrary<number> {
  return fc.integer({ min: Math.max(min, -1000), max: Math.min(max, 1000) - 1 }).map((whole) => whole + 0.5)
}

/** A number that is clearly on the wrong side of a bound, far enough to be so in any floating point format. */
export function beyond(bound: number, side: 1 | -1, isInteger: boolean): fc.Arbitrary<number> {
  if (!Number.isSafeInteger(bound)) return fc.constantFrom(bound * 2, bound * 1e6)
  const distance = fc.integer({ min: 1, max: 1000 })
  return distance.map((distance) => bound + side * (isInteger ? distance : distance / 100))
}

export function notOneOf(values: readonly Json[]): fc.Arbitrary<Json> {
  const others = values.flatMap((value) =>
    typeof value === 'string' ? [value.toUpperCase(), `${value} `] : [],
  )
  return fc.oneof(fc.constantFrom('', ...others), fc.string()).filter((value) => !values.includes(value))
}

/** Text that does not match: never by a dot alone, which some deployments accept in names. */
export function notMatching(pattern: string): fc.Arbitrary<string> {
  const form = new RegExp(pattern)
  const mutated = fc
    .tuple(textMatching(pattern), fc.constantFrom(' ', '/', 'é', '😀', '\n', '"'))
    .map(([text, character]) => text + character)
  return fc
    .oneof(mutated, fc.constantFrom('', 'x'.repeat(65)))
    .filter((text) => !form.test(text) && !form.test(text.replaceAll('.', '')))
}

export function tooLong(max: number): fc.Arbitrary<string> {
  const unit = fc.constantFrom('x', 'é', '😀')
  return fc.tuple(unit, fc.integer({ min: max + 1, max: max + 8 })).map(([unit, count]) => unit.repeat(count))
}
