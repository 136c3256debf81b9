// The form of a key, and the one form of the header that carries it.
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { fc, forAll } from '../property.fixture.ts'
import {
  KEY_PREFIX,
  formatKey,
  hasInvisible,
  isKeyForm,
  maskKey,
  parseAuthorization,
  redactKeys,
  withVisible,
} from './key.ts'

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
const key = bytes.map(formatKey)

describe('keys', () => {
  test('every key has the form, the prefix, and 256 bits that can be read back', () => {
    forAll(bytes, (random) => {
      const made = formatKey(random)
      expect(isKeyForm(made)).toBe(true)
      expect(made.startsWith(KEY_PREFIX)).toBe(true)
      expect(Buffer.from(made.slice(KEY_PREFIX.length), 'base64url')).toEqual(Buffer.from(random))
    })
  })

  test('are made of 32 bytes and of no other number', () => {
    for (const length of [0, 16, 31, 33]) expect(() => formatKey(randomBytes(length))).toThrow(RangeError)
  })

  test('a key that is cut, extended, or has a foreign character is none', () => {
    forAll(
      key,
      fc.nat(49),
      fc.constantFrom(' ', '\n', '=', '+', '/', '"', 'é', '\0'),
      (key, place, character) => {
        expect(isKeyForm(key.slice(0, place))).toBe(false)
        expect(isKeyForm(key + character)).toBe(false)
        expect(isKeyForm(`${key}A`)).toBe(false)
        expect(isKeyForm(key.slice(0, place) + character + key.slice(place + 1))).toBe(false)
      },
    )
  })

  test('are shown by their prefix and last four characters', () => {
    expect(maskKey(`${KEY_PREFIX}${'a'.repeat(39)}WXYZ`)).toBe('svc_sk_…WXYZ')
  })

  test('are redacted from text, however often it is percent-encoded', () => {
    const all = (text: string): string =>
      text.replaceAll(/[^%]|%/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
    const secret = formatKey(new Uint8Array(32).fill(7))
    for (const encode of [String, encodeURIComponent, all]) {
      let text = secret
      for (let times = 0; times < 4; times += 1) {
        text = times === 0 ? encode(text) : text.replaceAll('%', '%25').replaceAll('_', '%5F')
        expect(redactKeys(`/v1/models/${text}?a=100%`)).toBe('/v1/models/svc_sk_[redacted]?a=100%')
      }
    }
    expect(redactKeys('/v1/100%25/a%2Fb')).toBe('/v1/100%25/a%2Fb')
  })
})

test('invisible characters are shown by their numbers, those of scripts and emoji stay', () => {
  for (const character of [
    '\u0000',
    '\u001b',
    '\u007f',
    '\u009b',
    '\u200b',
    '\u202e',
    '\u2066',
    '\u2028',
    '\ufeff',
    '\u{e0041}',
  ]) {
    expect(hasInvisible(`a${character}b`)).toBe(true)
    expect(withVisible(`a${character}b`)).toBe(`a\\u{${character.codePointAt(0)?.toString(16)}}b`)
  }
  for (const text of ['a b', 'é', '\u{1F468}\u200d\u{1F469}', 'نامه\u200cای', '字']) {
    expect(hasInvisible(text)).toBe(false)
    expect(withVisible(text)).toBe(text)
  }
})

describe('the Authorization header', () => {
  test('holds the key after the word Bearer and one space (AUTH-2)', () => {
    forAll(key, (key) => {
      expect(parseAuthorization(`Bearer ${key}`)).toEqual({ key })
    })
  })

  test('no other form of a right key is accepted (AUTH-4)', () => {
    const forms = [
      'KEY',
      'bearer KEY',
      'BEARER KEY',
      'Bearer  KEY',
      'Bearer\tKEY',
      ' Bearer KEY',
      'Bearer "KEY"',
      "Bearer 'KEY'",
      'Bearer KEY ',
      'Bearer KEY, Bearer KEY',
      'Bearer: KEY',
      'BearerKEY',
      'Basic KEY',
      'Token KEY',
      'Bearer key=KEY',
      'Bearer\u00a0KEY',
    ]
    forAll(key, fc.constantFrom(...forms), (key, form) => {
      const verdict = parseAuthorization(form.replaceAll('KEY', key))
      expect(verdict).toEqual({ problem: 'invalid_api_key' })
    })
  })

  test('without a key is missing one (AUTH-3)', () => {
    for (const value of [undefined, '', 'Bearer', 'Bearer '])
      expect(parseAuthorization(value)).toEqual({ problem: 'missing_api_key' })
  })

  test('is never read as anything but the exact form', () => {
    forAll(fc.string(), (value) => {
      expect(parseAuthorization(value)).toHaveProperty('problem')
    })
  })
})

test('no text keeps a key, wherever it stands and whatever stands around it (KEY-10)', () => {
  forAll(fc.string(), key, fc.string(), key, (before, first, between, second) => {
    const redacted = redactKeys(`${before}${first}${between}${second}`)
    expect(redacted).not.toContain(first.slice(KEY_PREFIX.length))
    expect(redacted).not.toContain(second.slice(KEY_PREFIX.length))
  })
  expect(redactKeys('no key here')).toBe('no key here')
})
