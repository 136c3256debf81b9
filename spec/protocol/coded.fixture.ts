// For tests of redaction: forms of a key in each coding, and what a reader recovers from a text by undoing all of them.
import { fc } from '../property.fixture.ts'

const hexOf = (text: string): string => Buffer.from(text).toString('hex')
const escaped = (text: string, prefix: string): string =>
  text.replaceAll(/[^]/g, (each) => prefix + hexOf(each))
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A key in each coding by its name. */
export const CODED: Readonly<Record<string, (key: string) => string>> = {
  'as it is': (key) => key,
  'percent-encoded': (key) => escaped(key, '%'),
  'percent-encoded twice': (key) => escaped(key, '%25'),
  'with escapes of JSON': (key) => escaped(key, '\\u00'),
  'with escapes of JSON in JSON': (key) => escaped(key, '\\\\u00'),
  'with escapes of JSON, percent-encoded in part': (key) =>
    key.replaceAll('_', '%5F').replace('s', '\\u0073'),
  'in base64': base64,
  'in base64 from the second byte': (key) => base64(`:${key}`),
  'in base64 from the third byte': (key) => base64(`u:${key}`),
  'in base64 of a header': (key) => base64(`Bearer ${key}`),
  'in base64 of JSON': (key) => base64(JSON.stringify({ key, escaped: escaped(key, '\\u00') })),
  'in base64url': (key) => Buffer.from(key).toString('base64url'),
  'in base64, percent-encoded': (key) => encodeURIComponent(base64(key)),
  'in hex': hexOf,
  'in hex, upper case': (key) => hexOf(key).toUpperCase(),
  'in upper case': (key) => key.toUpperCase(),
  'in lower case': (key) => key.toLowerCase(),
  'in upper case, in base64': (key) => base64(key.toUpperCase()),
}

/** Pieces of a key that identify it. */
export const CUT: Readonly<Record<string, (key: string) => string>> = {
  'the first twelve characters': (key) => key.slice(0, 12),
  'the last twelve characters': (key) => key.slice(-12),
}

/** A text around a key. */
export const surroundings = fc.constantFrom<readonly [before: string, after: string]>(
  ['', ''],
  ['/v1/models/', '?a=100%'],
  ['/v1/', '/chat/completions'],
  ['{"error":{"message":"no key ', '."}}'],
  ['{"body":"{\\"key\\":\\"', '\\"}"}'],
  ['Bearer ', '\r\nHost: x'],
  ['x-note: "', '", y'],
  ['data:image/png;base64,', '='],
  ['Ünïcödé 字 ', ' 字'],
)

/** Pieces of eight characters of a secret that a reader of a text recovers by undoing any coding. */
export function recovered(text: string, secret: string): readonly string[] {
  const pieces = Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8).toLowerCase())
  const shown = readings(text).map((reading) => reading.toLowerCase())
  return pieces.filter((piece) => shown.some((reading) => reading.includes(piece)))
}

function readings(text: string): readonly string[] {
  const texts = [text, withoutEscapes(text)]
  const decoded = texts.flatMap((each) => [
    ...wordsIn(each, /[A-Za-z0-9+/_-]{11,}/g, 4, 'base64'),
    ...wordsIn(each, /[0-9A-Fa-f]{16,}/g, 2, 'hex'),
  ])
  return [...texts, ...decoded, ...decoded.map(withoutEscapes)]
}

/** Each word that can hold eight characters, decoded from each of its first letters. */
function wordsIn(text: string, words: RegExp, letters: number, coding: 'base64' | 'hex'): readonly string[] {
  return (text.match(words) ?? []).flatMap((word) =>
    Array.from({ length: letters }, (_, at) => Buffer.from(word.slice(at), coding).toString('latin1')),
  )
}

function withoutEscapes(text: string): string {
  const once = text.replaceAll(/(?:%|\\+u00)([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return once === text ? text : withoutEscapes(once)
}
