// The output for GitHub: commands of one line each, bounded in number, and a summary that is never too long.
import { expect, test } from 'vitest'
import { forAllWith } from '../../../spec/property.fixture.ts'
import { anyText } from '../../generate/hostile-text.ts'
import { SUMMARY_BYTES, renderAnnotations, renderJobSummary } from './github.ts'
import { madeReport } from '../report.fixture.ts'
import type { ReportCheck } from '../../contract/report.ts'

const report = madeReport()
const failure = report.checks.find(({ id }) => id === 'auth.fail')
/** Failures with an error code each, so that none has the cause of another. */
const failures = (count: number, more: Partial<ReportCheck> = {}) => ({
  ...report,
  checks: Array.from({ length: count }, (_, at) => ({
    ...(failure as ReportCheck),
    id: `auth.fail-${at}`,
    actual: `"${String(at).replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))}"`,
    ...more,
  })),
})

test('failures and errors are errors, a SHOULD is a warning, and what is expected or open is nothing', () => {
  const lines = renderAnnotations(report).trim().split('\n')
  expect(lines.map((line) => line.split('::')[1])).toEqual([
    'error title=AUTH-4 auth.fail',
    'error title=WIRE-4 wire.error',
    'warning title=AUTH-7 auth.warn',
  ])
})

test('whatever a server says stays in its line', () => {
  forAllWith(
    { examples: [['::error::a', 'b\r\n::add-mask::x%0A']] },
    anyText({}),
    anyText({}),
    (title, reason) => {
      const text = renderAnnotations(failures(1, { title, reason, rerun: '' }))
      expect(text.split(/[\r\n]/)).toHaveLength(2)
      const [, encoded = ''] = /^::error title=[^:,]+::(.*)\n$/s.exec(text) ?? []
      const decoded = encoded.replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%25', '%')
      expect(`${title}: ${reason}\n`.startsWith(decoded.slice(0, 900).trimEnd())).toBe(true)
    },
  )
})

test.each([
  [10, 10],
  [11, 10],
  [200, 10],
])('%i failures are %i annotations, the last of which counts the rest', (count, shown) => {
  const lines = renderAnnotations(failures(count)).trim().split('\n')
  expect(lines).toHaveLength(shown)
  if (count > shown) expect(lines.at(-1)).toMatch(`and ${count - 9} further checks`)
})

test('failures with one cause are one annotation, which counts them and names their rows', () => {
  const [one, ...others] = failures(3, { actual: 'nothing', exchanges: [] }).checks
  const checks = [...(one === undefined ? [] : [{ ...one, requirement: 'ERR-1' }]), ...others]
  const lines = renderAnnotations({ ...report, checks })
    .trim()
    .split('\n')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('%0A3 checks (AUTH-4, ERR-1): sends errors without `error.code`%0A')
})

test('a summary is the Markdown report, and loses its evidence before it is too long', () => {
  expect(renderJobSummary(report)).toContain('status 401')
  const response = { status: 200, headers: [], body: 'é'.repeat(1_000) }
  const exchange = { request: { method: 'GET', url: 'http://h', headers: [] }, response, timings: null }
  const long = renderJobSummary(failures(800, { exchanges: [exchange] }))
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(SUMMARY_BYTES)
  expect(long).toContain('auth.fail')
  expect(long).toContain('The evidence is too long')
  const longest = renderJobSummary(failures(1_500, { reason: 'é'.repeat(1_000) }))
  expect(Buffer.byteLength(longest)).toBeLessThanOrEqual(SUMMARY_BYTES)
})
