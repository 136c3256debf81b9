import { expect, test } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import { ApiError } from '../http/api-error.ts'
import { readFaultOrder } from './fault-order.ts'

const read = (prompt: string) => readFaultOrder(prompt, 'messages[0].content')

test.each([
  ['#fault status=429 retry-after=2', { status: 429, 'retry-after': 2 }, ''],
  ['#fault delay=10\nhello\nworld', { delay: 10 }, 'hello\nworld'],
  ['#fault  stall=500   at=3 \nx', { stall: 500, at: 3 }, 'x'],
  ['#fault cut=0', { cut: 0 }, ''],
  ['#fault status=418', { status: 418 }, ''],
  ['#fault error=2 delay=1\n', { error: 2, delay: 1 }, ''],
])('%j', (prompt, order, rest) => {
  expect(read(prompt)).toEqual({ order, rest })
})

test.each(['#fault', 'say #fault cut=1', ' #fault cut=1', '#faults cut=1', ''])(
  '%j is not an order',
  (prompt) => {
    expect(read(prompt)).toBeUndefined()
  },
)

test.each([
  ['#fault ', 'empty'],
  ['#fault boom=1', "'boom=1'"],
  ['#fault constructor=1', "'constructor=1'"],
  ['#fault cut=-1', "'cut=-1'"],
  ['#fault cut=1 cut=2', 'twice'],
  ['#fault status=399', 'at least 400'],
  ['#fault status=600', 'at most 599'],
  ['#fault retry-after=1', "needs 'status'"],
  ['#fault at=1', "needs 'stall'"],
  ['#fault delay=99999999', 'at most'],
])('%j is refused, and says why', (prompt, why) => {
  expect(() => read(prompt)).toThrow(
    expect.objectContaining({
      status: 400,
      param: 'messages[0].content',
      message: expect.stringContaining(why),
    }),
  )
})

test('whatever follows the prefix is an order or a refusal', () => {
  forAll(fc.string(), (text) => {
    try {
      expect(read(`#fault ${text}`)).toBeDefined()
    } catch (error) {
      expect(error).toBeInstanceOf(ApiError)
    }
  })
})
