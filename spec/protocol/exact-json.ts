// JSON with exact numbers: a number that a double cannot represent, such as 9007199254740993, is a raw JSON value of
// JavaScript, which `JSON.stringify` writes unchanged.

/** A number that a double would change. `rawJSON` is its text. */
export interface ExactNumber {
  readonly rawJSON: string
}

// The types of TypeScript do not have these members of the language yet.
declare global {
  interface JSON {
    rawJSON(text: string): ExactNumber
    isRawJSON(value: unknown): value is ExactNumber
  }
}

/** Whether `text` may have a number that a double changes: 15 digits are always safe, except with a large exponent. */
export function mayRound(text: string): boolean {
  return /[\d.]{16}|\d[eE][+-]?\d{3}/.test(text)
}

/** The JSON value of `text`. Throws a `SyntaxError` if it is not JSON. */
export function parseExact(text: string): unknown {
  return mayRound(text) ? parseKeeping(text, isRounded) : JSON.parse(text)
}

/** The JSON of `text`, without white space and with each number as it is written. Throws a `SyntaxError` if it is not JSON. */
export function compactJson(text: string): string {
  return JSON.stringify(parseKeeping(text, (source) => String(Number(source)) !== source))
}

/**
 * The JSON value of `text`, in which each number that `keeps` is exact. The reviver of `JSON.parse` would do the same, but
 * it takes some microseconds for each value; here the numbers are strings while the text is parsed.
 */
function parseKeeping(text: string, keeps: (source: string) => boolean): unknown {
  // A client cannot guess the mark.
  const mark = crypto.randomUUID()
  let marked = ''
  let copied = 0
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at)
    const end = quote === -1 ? text.length : quote
    for (const { 0: source, index } of text.slice(at, end).matchAll(NUMBER)) {
      if (!keeps(source)) continue
      marked += `${text.slice(copied, at + index)}"${mark}${source}"`
      copied = at + index + source.length
    }
    at = quote === -1 ? end : endOfString(text, quote) + 1
  }
  const value: unknown = JSON.parse(marked + text.slice(copied))
  return copied === 0 ? value : unmarked(value, mark)
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Replaces the marked strings in `value` by exact numbers, in place. */
function unmarked(value: unknown, mark: string): unknown {
  if (typeof value === 'string')
    return value.startsWith(mark) ? JSON.rawJSON(value.slice(mark.length)) : value
  if (typeof value !== 'object' || value === null) return value
  const members: Record<string, unknown> = Object(value)
  for (const name of Object.keys(members)) {
    const member = members[name]
    if (typeof member === 'string' ? member.startsWith(mark) : typeof member === 'object')
      Object.defineProperty(members, name, { ...PLAIN, value: unmarked(member, mark) })
  }
  return value
}

const PLAIN = { writable: true, enumerable: true, configurable: true }

export const isExactNumber = (value: unknown): value is ExactNumber => JSON.isRawJSON(value)

/** The value of a JSON number: its sign, its digits without zeros at either end, and the power of ten of the last one. */
export interface Significand {
  readonly isNegative: boolean
  /** Empty for zero. */
  readonly digits: string
  readonly exponent: number
}

/** Reads the text of a JSON number, exactly. */
export function significandOf(text: string): Significand {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const written = (whole + fraction).replace(/^0+/, '')
  const digits = written.slice(0, lengthWithoutZeros(written))
  if (digits === '') return { isNegative: false, digits, exponent: 0 }
  const exponent = Number(power) - fraction.length + written.length - digits.length
  return { isNegative: sign === '-', digits, exponent }
}

/** Not a regular expression, which would take quadratic time. */
function lengthWithoutZeros(digits: string): number {
  let length = digits.length
  while (digits[length - 1] === '0') length -= 1
  return length
}

function isRounded(source: string): boolean {
  const value = Number(source)
  const short = String(value)
  if (short === source) return false
  if (!Number.isFinite(value)) return true
  const [kept, written] = [significandOf(short), significandOf(source)]
  return kept.digits !== written.digits || kept.exponent !== written.exponent
}

/** The index of the quote that ends the string that begins at `start`, or the text's length. */
export function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1)
  if (quote === -1) return text.length
  if (text[quote - 1] !== '\\') return quote
  // A loop over the characters, because a search for each of a million escaped quotes costs more.
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 0x22) return index // "
    if (code === 0x5c) index += 1 // \
  }
  return text.length
}
