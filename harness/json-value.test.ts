import { expect, test } from 'vitest'
import { fc, forAllWith } from '../spec/property.fixture.ts'
import { parseJson } from './json-value.ts'

/** The value that `JSON.parse` alone returns, or undefined. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const space = fc.constantFrom('', ' ', '\t', '\r\n', ' \n ', '\f', '\u00a0', '\ufeff')
const text = fc.oneof(
  fc.json(),
  fc.string(),
  fc.constantFrom('true', 'false', 'null', '-1', '0.5', '[DONE]', '+1', 'nul'),
)

test('a text is parsed as JSON.parse does, and another is nothing', () => {
  forAllWith({ numRuns: 1000 }, space, text, space, (before, json, after) => {
    expect(parseJson(before + json + after)).toEqual(parsed(before + json + after))
  })
})

test('a text that is nested more deeply than a reader has to follow is nothing, however it is closed', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const nested = (levels: number): string => `${open.repeat(levels)}1${close.repeat(levels)}`
    expect(parseJson(nested(1_000))).toEqual(JSON.parse(nested(1_000)))
    expect(parseJson(nested(20_000))).toBeDefined()
    expect(parseJson(nested(20_001))).toBeUndefined()
    expect(parseJson(nested(1_000_000))).toBeUndefined()
  }
  // Brackets in a text, and beside each other, are not levels.
  const flat = JSON.stringify(Array.from({ length: 3_000 }, () => ['[{', '"[', '\\']))
  expect(parseJson(flat)).toEqual(JSON.parse(flat))
})
