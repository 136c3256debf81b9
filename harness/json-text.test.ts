import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { fc, forAllWith } from '../spec/property.fixture.ts'
import {
  MAX_DEPTH,
  exactJson,
  exactNumber,
  isWrittenAsInteger,
  repeatedMember,
  sameJson,
  visitJson,
} from './json-text.ts'

/** The numbers of a text with their paths. */
function numbersOf(text: string): readonly string[] {
  const numbers: string[] = []
  visitJson(text, { number: (source, path) => void numbers.push(`${path.join('.')}=${source}`) })
  return numbers
}

describe('the tokens of a JSON text', () => {
  test('each number has its path and its text', () => {
    expect(numbersOf('{"a":2.0,"b":[-0,{"c":1E-5}],"d":"3 [4]","e\\"":9007199254740993}')).toEqual([
      'a=2.0',
      'b.0=-0',
      'b.1.c=1E-5',
      'e"=9007199254740993',
    ])
    expect(numbersOf(' [ [ ] , { } , 1 , [ 2 , 3 ] , 4 ] ')).toEqual(['2=1', '3.0=2', '3.1=3', '4=4'])
    expect(numbersOf('7')).toEqual(['=7'])
  })

  test.each([
    ['{"a":1,"a":1}', ['a']],
    ['{"a":{"b":[{"c":1},{"c":1,"d":{},"\\u0063":2}]}}', ['a', 'b', 1, 'c']],
    ['{"a":[],"b":{},"a":{}}', ['a']],
    ['{"":1,"":2}', ['']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['{"a":{"a":{"a":1}}}', undefined],
    ['[{"a":1},{"a":1}]', undefined],
    ['{"a":"{\\"b\\":1,\\"b\\":1}","b":"a","c":"a"}', undefined],
    ['{"a":1,"a":1', undefined],
  ])('finds the repeated member of %s', (text, path) => {
    expect(repeatedMember(text)).toEqual(path)
  })

  test('a text of the greatest depth is read, and one that is deeper is not', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`
    expect(numbersOf(nested(MAX_DEPTH))).toHaveLength(1)
    expect(visitJson(nested(MAX_DEPTH + 1), {})).toBe(false)
    expect(visitJson(nested(1_000_000), {})).toBe(false)
    expect(sameJson(nested(MAX_DEPTH + 1), nested(MAX_DEPTH + 1))).toBe(false)
  })

  test('every value is found where JSON.parse has it', () => {
    forAllWith({ numRuns: 500 }, fc.jsonValue(), (value) => {
      const expected: unknown[] = []
      JSON.stringify(value, (_, one) => {
        if (typeof one === 'number') expected.push(one)
        return one
      })
      const text = JSON.stringify(value, null, 1)
      const found: number[] = []
      expect(visitJson(text, { number: (source) => void found.push(Number(source)) })).toBe(true)
      expect(found.map((number) => number + 0)).toEqual(expected.map((number) => Number(number) + 0))
      expect(repeatedMember(text)).toBeUndefined()
    })
  })
})

describe('numbers', () => {
  test.each([
    ['2', '2.0', '20e-1', '0.2e1', '2E+0'],
    ['0', '-0', '0.000', '0e99', '-0.0E-7'],
    ['9007199254740993', '9007199254740993.0', '9.007199254740993e15'],
    ['-9223372036854775808', '-92233720368547758080e-1'],
    ['0.1', '1e-1', '0.10'],
    ['1e400', '10e399', '0.1E401'],
    ['1e-400', '0.1e-399'],
    ['1e21', '1000000000000000000000'],
  ])('%s has one exact form, however it is written', (...sources) => {
    expect([...new Set(sources.map(exactNumber))]).toHaveLength(1)
    expect(JSON.parse(exactNumber(sources[0] ?? ''))).toBe(Number(sources[0]))
  })

  test('the exact form of a number of JavaScript is that number', () => {
    forAllWith({ numRuns: 1000 }, fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(Number(exactNumber(String(number)))).toBe(number + 0)
    })
  })

  test('two integers of any size have the same exact form only if they are equal', () => {
    const wide = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n })
    forAllWith({ numRuns: 1000 }, wide, fc.bigInt({ min: -2n, max: 2n }), (one, distance) => {
      expect(exactNumber(String(one)) === exactNumber(`${one + distance}.0`)).toBe(distance === 0n)
    })
  })

  test('only digits are an integer', () => {
    expect(['0', '-7', '9007199254740993'].every(isWrittenAsInteger)).toBe(true)
    expect(['2.0', '2e0', '1E3', '-0.5'].some(isWrittenAsInteger)).toBe(false)
  })
})

describe('the exact value of a JSON text', () => {
  test('no number is rounded, and numbers that JavaScript holds are numbers', () => {
    const text = '{"a":[9007199254740993,2.0,-0],"b":{"c":0.12345678901234567890}}'
    const value = exactJson(text)
    expect(JSON.stringify(value)).toBe('{"a":[9007199254740993,2,0],"b":{"c":0.1234567890123456789}}')
    expect(isDeepStrictEqual(exactJson('{"a":2.0,"b":[]}'), { b: [], a: 2 })).toBe(true)
  })

  test.each([
    ['2', '2.0', true],
    ['[0]', '[-0]', true],
    ['{"a":1,"b":2}', ' { "b" : 2e0, "a" : 1 } ', true],
    ['"é"', '"\\u00e9"', true],
    ['9007199254740993', '9007199254740992', false],
    ['{"a":9223372036854775807}', '{"a":9223372036854775808}', false],
    ['1e400', '1e401', false],
    ['0.1', '0.10000000000000000001', false],
    ['[1]', '{"0":1}', false],
    ['{', '{', false],
  ])('%s and %s: the same value is %s', (one, other, expected) => {
    expect(sameJson(one, other)).toBe(expected)
    expect(sameJson(other, one)).toBe(expected)
  })
})
