// Reads the details of JSON texts. A JavaScript value does not show that a number was written `2.0`, that
// 9007199254740993 was rounded, or that an object has a member twice. Every function here takes linear time, and none
// reads a text that is nested deeper than MAX_DEPTH.
import { isDeepStrictEqual } from 'node:util'
import { parseJson } from './json-value.ts'

/** The deepest nesting that is read. */
export const MAX_DEPTH = 256

/** The names and indexes that lead to a value. */
export type JsonPath = readonly (string | number)[]

/** A path is valid during the call only: a visitor that keeps it copies it. */
export interface JsonTextVisitor {
  /** A number, as it is written. */
  number?(source: string, path: JsonPath): void
  /** A member whose object already has one with this name. */
  repeated?(path: JsonPath): void
}

/** Visits the tokens of a JSON text in their order. Returns false if the text is not JSON, or once it is too deep. */
export function visitJson(text: string, visitor: JsonTextVisitor): boolean {
  if (parseJson(text) === undefined) return false
  const path: (string | number)[] = []
  // For each open object its names, for each open list undefined.
  const open: (Set<string> | undefined)[] = []
  let isName = false
  for (const token of tokensOf(text)) {
    const last = path.length - 1
    const names = open.at(-1)
    if (token === '{' || token === '[') {
      if (open.length === MAX_DEPTH) return false
      open.push(token === '{' ? new Set() : undefined)
      path.push(token === '{' ? '' : 0)
      isName = token === '{'
    } else if (token === '}' || token === ']') {
      open.pop()
      path.pop()
      isName = false
    } else if (token === ',') {
      isName = names !== undefined
      if (names === undefined) path[last] = Number(path[last]) + 1
    } else if (token.startsWith('"')) {
      if (isName && names !== undefined) {
        const name: string = JSON.parse(token)
        path[last] = name
        if (names.has(name)) visitor.repeated?.(path)
        names.add(name)
        isName = false
      }
    } else visitor.number?.(token, path)
  }
  return true
}

/** The tokens of a text that is JSON, without `:` and the literals. */
function* tokensOf(text: string): Generator<string> {
  const number = /-?\d[\d.eE+-]*/y
  for (let at = 0; at < text.length;) {
    const letter = text[at] ?? ''
    let end = at + 1
    if (letter === '"') end = endOfString(text, at)
    else if (letter === '-' || (letter >= '0' && letter <= '9')) {
      number.lastIndex = at
      number.test(text)
      end = number.lastIndex
    }
    if (end > at + 1 || '{}[],0123456789'.includes(letter)) yield text.slice(at, end)
    at = end
  }
}

/** The place after a string that begins at `from`. */
function endOfString(text: string, from: number): number {
  let at = from + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

/** The path of the first member that its object already has; undefined if there is none, or if the text cannot be read. */
export function repeatedMember(text: string): JsonPath | undefined {
  let first: JsonPath | undefined
  visitJson(text, { repeated: (path) => void (first ??= [...path]) })
  return first
}

/** Whether a number is written without fraction and exponent, as parsers of integers demand. */
export function isWrittenAsInteger(source: string): boolean {
  return /^-?\d+$/.test(source)
}

/** An exponent with more digits than this is kept as it is written. */
const MAX_EXPONENT_DIGITS = 15

/** The most zeros that a number is written with, instead of an exponent. */
const MOST_ZEROS = 40

/** One form for each number: `2`, `2.0` and `20e-1` are `2`; `-0` is `0`. No digit is lost. */
export function exactNumber(source: string): string {
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const all = whole + part
  let [from, to] = [0, all.length]
  while (all[from] === '0') from += 1
  while (to > from && all[to - 1] === '0') to -= 1
  if (from === to) return '0'
  if (exponent.length > MAX_EXPONENT_DIGITS) return source
  const digits = all.slice(from, to)
  const power = Number(exponent) - part.length + (all.length - to)
  if (power >= 0 && power <= MOST_ZEROS) return sign + digits + '0'.repeat(power)
  if (power >= 0 || -power > digits.length + MOST_ZEROS) return `${sign}${digits}e${power}`
  const padded = digits.padStart(1 - power, '0')
  return `${sign}${padded.slice(0, power)}.${padded.slice(power)}`
}

/** Returns whether a double represents this number exactly. */
export function isHeldExactly(source: string): boolean {
  return exactNumber(String(Number(source))) === exactNumber(source)
}

/**
 * The value of a JSON text in which no number is rounded: one that a double cannot represent is a `JSON.rawJSON` of its
 * exact form, which `JSON.stringify` writes as it is. Two such values are equal by `isDeepStrictEqual` if their numbers
 * are; -0 is 0. Undefined if the text is not JSON or is too deep.
 */
export function exactJson(text: string): unknown {
  let isPlain = true
  const number = (source: string): void =>
    void (isPlain &&= isHeldExactly(source) && !Object.is(Number(source), -0))
  if (!visitJson(text, { number })) return undefined
  return isPlain ? parseJson(text) : JSON.parse(text, exactValue)
}

/** Replaces a number by its exact value, with the source text that `JSON.parse` gives. */
function exactValue(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value
  return isHeldExactly(context.source) ? value + 0 : JSON.rawJSON(exactNumber(context.source))
}

/** Whether two JSON texts have the same value, with exact numbers: 2 and 2.0 are equal, 9007199254740993 has no equal. */
export function sameJson(one: string, other: string): boolean {
  const value = exactJson(one)
  return value !== undefined && isDeepStrictEqual(value, exactJson(other))
}
