// The form of an API key, and the only accepted form of the header that carries it (specification: Authentication).
import { type Found, type Redaction, redact } from './codings.ts'

/** Every key starts with this, so that secret scanners find a leaked one (KEY-1, AUTH 9). */
export const KEY_PREFIX = 'svc_sk_'

/** The prefix and 43 characters of base64url, which are 256 bits. */
const KEY_FORM = /^svc_sk_[A-Za-z0-9_-]{43}$/

/** Makes the secret of a key from 32 random bytes (256 bits, twice what KEY-1 asks for). */
export function formatKey(random: Uint8Array): string {
  if (random.length !== 32) throw new RangeError(`a key takes 32 random bytes, got ${random.length}`)
  return KEY_PREFIX + Buffer.from(random).toString('base64url')
}

/** Whether `text` has the form of a key of this service; such a key need not exist. */
export function isKeyForm(text: string): boolean {
  return KEY_FORM.test(text)
}

/** The result of reading an `Authorization` header: a key of the right form, or the code of the 401. */
export type Credentials =
  | { readonly key: string }
  | { readonly problem: 'missing_api_key' | 'invalid_api_key' }

/**
 * Reads the value of an `Authorization` header: the word `Bearer` in that spelling, exactly one space, the key
 * (AUTH-2). No header is `missing_api_key` (AUTH-3), as is `Bearer` with nothing behind it (AUTH-4 leaves that open);
 * every other deviation is `invalid_api_key`.
 */
export function parseAuthorization(value: string | undefined): Credentials {
  if (value === undefined || value === '' || value === 'Bearer' || value === 'Bearer ')
    return { problem: 'missing_api_key' }
  const key = value.startsWith('Bearer ') ? value.slice('Bearer '.length) : ''
  return isKeyForm(key) ? { key } : { problem: 'invalid_api_key' }
}

/** A key as it may be shown again: the prefix and the last four characters. */
export function maskKey(key: string): string {
  return `${KEY_PREFIX}…${key.slice(-4)}`
}

/** A prefix with at least one character of its key after it. */
const KEY_IN_TEXT = /svc_sk_[\w-]+/gi

/** Finds everything that looks like a key of this service, in any case. */
export function findKeys(text: string): readonly Found[] {
  return [...text.matchAll(KEY_IN_TEXT)].map(({ 0: key, index }) => {
    return { from: index, to: index + key.length, owner: 1 }
  })
}

/** The prefix of a key and eight characters, because fewer do not identify a key. */
const SHORTEST_KEY = KEY_PREFIX.length + 8

/** Words with a digit and, unless they are hex, an upper-case letter: the codings of a key have both, but few names do. */
const CODED_KEY = /^(?=\D*\d)(?:[^A-Z]*[A-Z]|[\da-f]+$)/

const KEYS: Redaction = {
  find: findKeys,
  shortest: SHORTEST_KEY,
  words: CODED_KEY,
  mark: () => `${KEY_PREFIX}[redacted]`,
}

/**
 * Replaces everything that looks like a key of this service by its prefix and `[redacted]` (KEY-10), in every coding of
 * `codings.ts`.
 */
export function redactKeys(text: string): string {
  return redact(text, KEYS)
}

/** The length that is searched for keys behind the cut of a text; every coding of a key is shorter. */
const MOST_SEARCHED = 1024

/** Cuts a client's own text to `length` characters. Keys are redacted first: a cut key may not look like one. */
export function quoted(text: string, length: number): string {
  const shown = redactKeys(text.slice(0, length + MOST_SEARCHED))
  return text.length <= length ? shown : `${shown.slice(0, length)}…`
}

/** Characters that a terminal or a page hides or reorders: controls, line separators, directions, zero widths. */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u
const ALL_INVISIBLE = new RegExp(INVISIBLE, 'gu')

/** Returns whether a text has such characters. The joiners of scripts and emoji do not count. */
export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text)
}

/** The text with such characters as `\\u{202e}`. */
export function withVisible(text: string): string {
  return text.replace(ALL_INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
