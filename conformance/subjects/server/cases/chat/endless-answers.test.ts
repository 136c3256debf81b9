// Which answers that were cut are endless, and which are only long or slow.
import { expect, it } from 'vitest'
import { madeExchange } from '../../../../../harness/exchange.fixture.ts'
import type { AnswerEnd } from '../../../../../harness/http/exchange.ts'
import { watch } from '../../../../contract/observer.ts'
import { madeTarget } from '../../../../facts/target.fixture.ts'
import { endlessObserver } from './endless-answers.ts'

const MEBIBYTE = 1024 * 1024

function outcomeOf(members: object, bytes: number, end: AnswerEnd) {
  const watching = watch([endlessObserver], madeTarget, { strict: false })
  const requestBody = JSON.stringify({ model: 'm', messages: [], stream: true, ...members })
  const path = '/v1/chat/completions'
  watching.see(madeExchange({ method: 'POST', path, requestBody, body: ':'.repeat(bytes), end }))
  return watching.results()[0]?.outcome
}

it.each([
  ['a stream of one token', { max_tokens: 1 }],
  ['a plain answer of eight tokens', { max_completion_tokens: 8, stream: false }],
  ['an answer with no choice', { max_tokens: 32, n: 0 }],
])('fails if bytes come on and on: %s', (_, members) => {
  expect(outcomeOf(members, 4 * MEBIBYTE, 'too-large')).toBe('fail')
  expect(outcomeOf(members, 4 * MEBIBYTE, 'timeout')).toBe('fail')
})

it.each([
  ['a long answer that its bound explains', { max_tokens: 8192 }, 4 * MEBIBYTE, 'too-large'],
  ['many choices that the bound explains', { max_tokens: 64, n: 128 }, 4 * MEBIBYTE, 'too-large'],
  ['a slow answer', { max_tokens: 32 }, 200_000, 'timeout'],
  ['a large answer that ends', { max_tokens: 1 }, 4 * MEBIBYTE, 'complete'],
  ['an answer whose connection broke', { max_tokens: 1 }, 4 * MEBIBYTE, 'broken'],
] as const)('does not fail: %s', (_, members, bytes, end) => {
  expect(outcomeOf(members, bytes, end)).toBe('pass')
})

it('does not judge an answer without a bound', () => {
  expect(outcomeOf({}, 4 * MEBIBYTE, 'too-large')).toBe('not-applicable')
})
