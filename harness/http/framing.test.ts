import { expect, test } from 'vitest'
import type { Headers } from './exchange.ts'
import { framingFault } from './framing.ts'

test.each<[string, Headers, RegExp]>([
  [
    'chunked twice',
    [
      ['Transfer-Encoding', 'chunked'],
      ['transfer-encoding', 'Chunked'],
    ],
    /chunked 2 times/,
  ],
  ['chunked twice in one line', [['Transfer-Encoding', 'chunked, chunked']], /chunked 2 times/],
  ['another coding', [['Transfer-Encoding', 'gzip, chunked']], /Transfer-Encoding: gzip, chunked/],
  ['an unknown coding', [['Transfer-Encoding', 'xchunked']], /xchunked/],
  [
    'both framings',
    [
      ['Transfer-Encoding', 'chunked'],
      ['Content-Length', '3'],
    ],
    /beside Content-Length: 3/,
  ],
  [
    'two lengths',
    [
      ['Content-Length', '3'],
      ['Content-Length', '4'],
    ],
    /Content-Length: 3 and 4/,
  ],
])('names %s', (_, headers, fault) => {
  expect(framingFault(headers)).toMatch(fault)
})

test.each<[string, Headers]>([
  ['no framing, which the end of the connection replaces', []],
  ['chunked, in any case', [['transfer-encoding', ' Chunked ']]],
  ['a length', [['Content-Length', '3']]],
  [
    'identity',
    [
      ['Transfer-Encoding', 'identity'],
      ['Content-Length', '3'],
    ],
  ],
])('accepts %s', (_, headers) => {
  expect(framingFault(headers)).toBeUndefined()
})
