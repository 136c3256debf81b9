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
