import { expect, test } from 'vitest'
import { fc, forAll } from '../../../spec/property.fixture.ts'
import { bars, daySpark } from '../pages/charts.ts'
import { duration } from '../pages/value-labels.ts'
import { series, total } from './traffic.ts'

const record = (minute: number, requests: number) => ({
  keyId: 'key_1',
  minute,
  requests,
  tokens: 0,
  lastUsedAt: minute * 60_000,
})

test('a series counts each request after its start in one span, and none before', () => {
  forAll(
    fc.array(fc.tuple(fc.integer({ min: -100, max: 200 }), fc.nat(1000)), { maxLength: 50 }),
    fc.record({
      from: fc.integer({ min: -50, max: 50 }),
      minutes: fc.integer({ min: 1, max: 60 }),
      spans: fc.integer({ min: 1, max: 30 }),
    }),
    (used, spans) => {
      const requests = series(
        used.map(([minute, requests]) => record(minute, requests)),
        spans,
      )
      expect(requests).toHaveLength(spans.spans)
      expect(total(requests)).toBe(
        total(used.filter(([minute]) => minute >= spans.from).map(([, count]) => count)),
      )
    },
  )
})

test('a series counts requests in the span of their minute', () => {
  const spans = { from: 60, minutes: 60, spans: 3 }
  const requests = { 59: 1, 60: 2, 119: 4, 120: 8, 239: 16, 500: 32 }
  const used = Object.entries(requests).map(([minute, count]) => record(Number(minute), count))
  expect(series(used, spans)).toEqual([6, 8, 48])
})

test('a chart has a text alternative and shows every use', async () => {
  expect(String(await daySpark(Array<number>(24).fill(0)))).toContain('aria-label="no request in 24 hours"')
  const drawing = String(await bars({ values: [0, 1, 1000], label: '<b>"', className: 'chart' }))
  expect(drawing).toContain('aria-label="&lt;b&gt;&quot;"')
  const heights = Array.from(drawing.matchAll(/<rect[^>]* height="(\d+)"/g), ([, height]) => Number(height))
  expect(heights).toEqual([2, 8, 100])
})

test.each([
  [-5, '0 seconds'],
  [999, '0 seconds'],
  [1000, '1 second'],
  [59_999, '59 seconds'],
  [60_000, '1 minute'],
  [3_599_999, '59 minutes'],
  [7_200_000, '2 hours'],
  [86_400_000 * 1000, '1,000 days'],
])('%i ms is %s', (milliseconds, words) => {
  expect(duration(milliseconds)).toBe(words)
})
