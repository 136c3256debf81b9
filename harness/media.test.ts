// The media are whole as their formats say, to a reader of bytes.
import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { pdf, png, wav } from './media.ts'

test('a picture of 64 lines of 64 pixels', () => {
  const bytes = png()
  const start = bytes.indexOf('IDAT') + 4
  const length = bytes.readUInt32BE(start - 8)
  expect(inflateSync(bytes.subarray(start, start + length))).toHaveLength(64 * 65)
  expect(bytes.subarray(-8, -4).toString()).toBe('IEND')
})

test('a sound whose lengths add up', () => {
  const bytes = wav()
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8)
  expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44)
})

test('a page whose table leads to its objects', () => {
  const text = pdf().toString('latin1')
  const table = Number(/startxref\n(\d+)/.exec(text)?.[1])
  expect(text.slice(table, table + 4)).toBe('xref')
  const offsets = [...text.matchAll(/^(\d{10}) 00000 n /gm)].map(([, offset]) => Number(offset))
  expect(offsets.map((offset, nth) => text.startsWith(`${nth + 1} 0 obj`, offset))).toEqual(
    offsets.map(() => true),
  )
})
