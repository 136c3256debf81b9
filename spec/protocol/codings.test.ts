// No coding of a key stays in a text of the log or of an error, and a text without keys stays as it is (KEY-10, ERR-4).
import { expect, test } from 'vitest'
import { fc, forAll } from '../property.fixture.ts'
import { CODED, recovered, surroundings } from './coded.fixture.ts'
import { redact } from './codings.ts'
import { KEY_PREFIX, formatKey, quoted, redactKeys } from './key.ts'

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(formatKey)
const secretOf = (text: string): string => text.slice(KEY_PREFIX.length)

test.each(Object.entries(CODED))('nothing is recovered of an unknown key %s', (_, encode) => {
  forAll(key, surroundings, (known, [before, after]) => {
    const shown = redactKeys(before + encode(known) + after)
    expect(recovered(shown, secretOf(known))).toEqual([])
    expect(shown).toContain('svc_sk_[redacted]')
    expect(shown.startsWith(before.replace(/[\w+/]*$/, ''))).toBe(true)
    expect(shown.endsWith(after)).toBe(true)
  })
})

test.each(Object.entries(CODED))('nothing is recovered after a cut of a key %s', (_, encode) => {
  forAll(key, fc.nat({ max: 64 }), (known, at) => {
    const shown = quoted('-'.repeat(at) + encode(known), 64)
    expect(recovered(redactKeys(shown), secretOf(known))).toEqual([])
    expect(shown.length).toBeLessThanOrEqual(65)
  })
})

test('a reader recovers a key in every coding, so that these tests can fail', () => {
  forAll(key, surroundings, fc.constantFrom(...Object.values(CODED)), (known, [before, after], encode) => {
    expect(recovered(before + encode(known) + after, known)).toHaveLength(known.length - 7)
  })
})

const word = fc.oneof(
  fc.string(),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => encodeURIComponent(Buffer.from(bytes).toString('latin1'))),
  fc.constantFrom(
    'svc-0.1-echo',
    '/v1/chat/completions',
    '\\u0041\\n',
    '`svc_sk_`',
    '`svc_sk_…abcd`',
    '100%25',
    '\\\\',
  ),
)

test('a text without keys stays as it is', () => {
  forAll(fc.array(word), fc.constantFrom(' ', '/', '"', '\n', '%'), (words, separator) => {
    const text = words.join(separator)
    expect(redactKeys(text)).toBe(text)
  })
})

/** Its characters look alike in base64, also those that are cut. */
const NEEDLE = 'P0pP0pP0pP0pP0pP'
const pieces = new RegExp(
  Array.from({ length: 3 }, (_, at) => RegExp.escape(NEEDLE.slice(at, at + 8))).join('|'),
  'g',
)
const stars = {
  find: (plain: string) =>
    [...plain.matchAll(pieces)].map(({ index }) => ({ from: index, to: index + 8, owner: 1 })),
  mark: (_: number, length: number): string => '*'.repeat(length),
  shortest: 8,
}

test('a mark has the length of what it replaces, and the text around it stays', () => {
  const codings = fc.constantFrom(...Object.values(CODED))
  const cuts = fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 }))
  forAll(fc.array(word), surroundings, codings, cuts, (words, [before, after], encode, [first, last]) => {
    const [start, end] = [`${words.join(' ')} /v1/chat/completions ${before}`, `"${after} ${words.join(' ')}`]
    const coded = encode(NEEDLE)
    const text = `${start}"${coded.slice(first, coded.length - last)}${end}`
    const shown = redact(text, stars)
    expect(shown).toHaveLength(text.length)
    expect(shown.startsWith(`${start}"`)).toBe(true)
    expect(shown.endsWith(end)).toBe(true)
  })
})

test('a mark replaces every letter of a coding that has a part of the secret', () => {
  const secret = NEEDLE.slice(0, 8)
  const cut = Buffer.from(`...${secret}`).toString('base64url').slice(0, -1)
  for (const [letters, hidden] of [
    [Buffer.from(secret).toString('base64url'), 11],
    [Buffer.from(`u:${secret}..`).toString('base64url'), 12],
    [Buffer.from(`.${secret}`).toString('hex'), 16],
    [cut, 10],
  ] as const)
    expect(
      redact(`/v1/chat/completions "${letters}" /v1/chat/completions`, stars).replaceAll(/[^*]/g, ''),
    ).toHaveLength(hidden)
})

test.each([
  ['letters', 'x'],
  ['backslashes', '\\'],
  ['encoded percent signs', '%25'],
  ['percent signs that are encoded again and again', '25'],
  ['escapes', '\\u0061'],
])('a text of millions of %s is searched to its end', (_, part) => {
  const text = `%${part.repeat(6_000_000 / part.length)} `
  expect(redact(text + NEEDLE, stars)).toBe(text + '*'.repeat(NEEDLE.length))
})
