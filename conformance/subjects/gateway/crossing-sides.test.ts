// The headers that show a cache, and answers that the judge did not read to their end.
import { expect, test } from 'vitest'
import { madeExchange } from '../../../harness/exchange.fixture.ts'
import { Inconclusive } from '../../contract/outcome.ts'
import type { Crossing } from './crossing.ts'
import { isFromCache, requireRead } from './crossing-sides.ts'

test.each<[string, string, boolean]>([
  ['age', '0', true],
  ['Age', '17', true],
  ['age', 'unknown', false],
  ['x-cache', 'HIT', true],
  ['X-Cache', 'Hit from the edge', true],
  ['x-cache', 'MISS', false],
  ['x-cache', 'Miss from the edge', false],
  ['x-cache', '', false],
  ['cf-cache-status', 'HIT', true],
  ['cf-cache-status', 'DYNAMIC', false],
  ['cache-status', 'gateway; hit', true],
  ['cache-status', 'gateway; fwd=miss', false],
  ['x-gateway-cache-key', '9f86d081884c7d65', true],
  ['x-semantic-cache', 'true', true],
  ['x-cache-hits', '0', false],
  ['x-from-cache', 'false', false],
  ['cache-control', 'max-age=60', false],
  ['x-cache-control', 'public', false],
  ['x-request-id', 'cache', false],
])('an answer with %s: %s comes from a cache: %s', (name, value, isCached) => {
  expect(isFromCache(madeExchange({ headers: [[name, value]] }))).toBe(isCached)
})

test('an answer over the bound of the judge shows nothing, and its bound is named', () => {
  const crossing = (end: 'complete' | 'too-large'): Crossing => ({
    scenario: 'body-large-answer',
    words: '',
    sent: {},
    sentMs: 0,
    sentAtMs: 0,
    answer: madeExchange({ end }),
    failure: undefined,
    leftMs: undefined,
    calls: [],
    strays: [],
    held: [],
  })
  expect(() => requireRead(crossing('complete'))).not.toThrow()
  expect(() => requireRead(crossing('too-large'))).toThrow(Inconclusive)
  expect(() => requireRead(crossing('too-large'))).toThrow(/48 MiB of an answer, with 256 bytes for each/)
})
