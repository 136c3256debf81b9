import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { looksLikeKey } from '../../../../exchanges/credential-marks.ts'
import { fakeText } from './failing.ts'

// The hash of each of these seeds has the form of a key, at its start or behind a dash.
test.each([67_591, 99_574, 157_376])('the text of seed %i stays in a recording as it was sent', (seed) => {
  expect(looksLikeKey(createHash('sha256').update(`${seed} a text`).digest('base64url'))).toBe(true)
  expect(fakeText(seed, 'a text')).toMatch(/^[\w-]{43}$/)
  expect(looksLikeKey(fakeText(seed, 'a text'))).toBe(false)
})
