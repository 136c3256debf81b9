import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forAll } from '../../spec/property.fixture.ts'
import { parseJson } from './json-body.ts'

const STRAYS = [
  ['\uFEFF', 'byte order mark'],
  ['\0', 'NUL'],
  ['NaN', "'NaN'"],
  ['-Infinity', "'-Infinity'"],
  ['undefined', "'undefined'"],
  ["'text'", 'text'],
  ['// comment', 'text'],
] as const

test('names the text that is not JSON, and its position, after any JSON', () => {
  const before = fc.constantFrom('', ' ', '\n')
  forAll(fc.json({ maxDepth: 3 }), before, fc.constantFrom(...STRAYS), (json, space, [stray, name]) => {
    for (const start of ['', space, `${json}${space}`, `{"a":${json},"b":`, `[${json},${space}`]) {
      expect(() => parseJson(`${start}${stray}`)).toThrow(
        `The body could not be parsed as JSON: unexpected ${name} at position ${start.length}.`,
      )
    }
  })
})

test.each(['{"a":1', '["NaN\0', '{"a" 1}', ''])('names no position if %j has no stray text', (text) => {
  expect(() => parseJson(text)).toThrow('The body could not be parsed as JSON.')
})

test('does not repeat text that may be a secret', () => {
  expect(() => parseJson('{"key": sk-0123456789}')).toThrow('unexpected text at position 8.')
})
