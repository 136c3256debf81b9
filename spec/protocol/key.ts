// The form of an API key, and the only accepted form of the header that carries it (specification: Authentication).

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

/** The verdict on an `Authorization` header: a key of the right form, or the code of the 401 that is due. */
export type Credentials =
  | { readonly key: string }
  | { readonly problem: 'missing_api_key' | 'invalid_api_key' }

/**
 * Reads the value of an `Authorization` header: the word `Bearer` in that spelling, exactly one space, the key
 * (AUTH-2). No header is `missing_api_key` (AUTH-3), as is `Bearer` with nothing behind it (AUTH-4 leaves that
 * open); everything else that is not the form is `invalid_api_key`.
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

const KEY_IN_TEXT = /svc_sk_[A-Za-z0-9_-]+/g

/** A character of ASCII that is percent-encoded, perhaps several times. */
const ENCODED = /%(?:25)*([2-7][0-9a-f])/gi

/** Replaces everything that looks like a key of this service by its prefix and `[redacted]` (KEY-10), percent-encoded or not. */
export function redactKeys(text: string): string {
  const plain = text.includes('%')
    ? text.replace(ENCODED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text
  return (plain.includes(KEY_PREFIX) ? plain : text).replace(KEY_IN_TEXT, `${KEY_PREFIX}[redacted]`)
}

/** Characters that a terminal or a page hides or reorders: controls, line separators, directions, zero widths. */
const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u
const ALL_INVISIBLE = new RegExp(INVISIBLE, 'gu')

/** Whether a text has such characters. The joiners of scripts and emoji are none. */
export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text)
}

/** The text with such characters as `\\u{202e}`. */
export function withVisible(text: string): string {
  return text.replace(ALL_INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
