// Numbers keep their value, whatever a double makes of them; everything else is what `JSON.parse` returns.
import { expect, test } from 'vitest'
import { fc, forAll } from '../property.fixture.ts'
import { compactJson, isExactNumber, parseExact, significandOf } from './exact-json.ts'

test.each([
  '9007199254740993',
  '-9223372036854775808',
  '0.1000000000000000055511151231257827',
  '1e400',
  '1e-400',
  '1234567890123456.78',
])('%s is exact, at every place', (number) => {
  const text = `{"a":[${number},{"b":${number}}],"c":"${number}"}`
  expect(JSON.stringify(parseExact(text))).toBe(text)
  expect(isExactNumber(parseExact(number))).toBe(true)
})

test.each([
  '0',
  '-0',
  '1.0',
  '2.50',
  '1e2',
  '1E400',
  '9007199254740992',
  '0.1',
  '-0.0e10',
  '100000000000000000000',
])('%s is a double if that has its value', (number) => {
  expect(parseExact(`[${number}]`)).toEqual(number === '1E400' ? [JSON.rawJSON(number)] : [Number(number)])
})

test('the value of any JSON is that of JSON.parse, if its numbers are doubles', () => {
  forAll(fc.json(), (text) => {
    expect(parseExact(text)).toEqual(JSON.parse(text))
    expect(JSON.parse(compactJson(` ${text}\n`))).toEqual(JSON.parse(text))
  })
})

test('numbers in strings and names, also after escaped quotes, stay text', () => {
  const text = '{"9007199254740993":"\\"9007199254740993","\\\\":9007199254740993,"__proto__":[1e400]}'
  expect(compactJson(text)).toBe(text)
  expect(JSON.stringify(parseExact(text))).toBe(text)
})

test('arguments keep the text of each number, without white space', () => {
  expect(compactJson('{ "a": 1.0, "b": [ -0, 1E2 , 9007199254740993 ], "c": 2 }')).toBe(
    '{"a":1.0,"b":[-0,1E2,9007199254740993],"c":2}',
  )
})

test.each(['', '{', '01234567890123456789', '12345678901234567890.', '-', '1e400x'])(
  '%j is not JSON',
  (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError)
  },
)

test('a significand has no zeros at either end, also of a long number', () => {
  expect(significandOf('-0012.500'.replace('-00', '-'))).toEqual({
    isNegative: true,
    digits: '125',
    exponent: -1,
  })
  expect(significandOf(`1${'0'.repeat(100_000)}`)).toEqual({
    isNegative: false,
    digits: '1',
    exponent: 100_000,
  })
  expect(significandOf('-0.000e5')).toEqual({ isNegative: false, digits: '', exponent: 0 })
})
