// Every other format of the report contains all of it, no secret, and no text that can break the format.
import { expect, test } from 'vitest'
import { sourceOf } from './labels.ts'
import { renderBadge } from './badge.ts'
import { renderHtml } from './html/report-page.ts'
import { renderJunit } from './junit.ts'
import { renderMarkdown } from './markdown/markdown.ts'
import { KEY, madeReport, results } from './report.fixture.ts'

const report = madeReport()
const forms = { junit: renderJunit(report), markdown: renderMarkdown(report), html: renderHtml(report) }

test.each(Object.entries(forms))('%s names every check that did not pass, and shows no key', (_, text) => {
  for (const { id, outcome } of report.checks) if (outcome !== 'pass') expect(text).toContain(id)
  expect(text).not.toContain(KEY.slice(7, 15))
  expect(text).not.toContain('\u001b')
})

test('each form has the counts of the tiers', () => {
  for (const form of [forms.markdown, forms.html]) expect(form).toContain('Interop 1 of 1 · Strict 0 of 2')
  expect(forms.junit).toContain(
    '<property name="interop" value="1 of 1"/><property name="strict" value="0 of 2"/>',
  )
})

test('each form says which checks are no longer offered', () => {
  expect(forms.markdown).toContain('No longer offered: not applicable, and not in the baseline: `wire.n`.')
  expect(forms.html).toContain('No longer offered: not applicable, and not in the baseline: wire.n.')
  expect(forms.junit).toContain(
    '<skipped message="not-applicable, no longer offered: the target refuses n"/>',
  )
})

/** The names of the elements of a document in order, `/` before those that end; throws if they do not nest. */
function elements(xml: string): readonly string[] {
  const open: string[] = []
  const names: string[] = []
  for (const [, slash, name = '', selfClosing] of xml.matchAll(
    /<(\/?)([a-z-]+)(?:\s+[\w-]+="[^"<]*")*\s*(\/?)>/g,
  )) {
    names.push(slash + name)
    if (slash === '/') expect(open.pop()).toBe(name)
    else if (selfClosing !== '/') open.push(name)
  }
  expect(open).toEqual([])
  return names
}

test('the XML nests, counts, and has a case for every check', () => {
  const names = elements(forms.junit.replace(/^<\?xml.*\n/, ''))
  expect(names.filter((name) => name === 'testcase')).toHaveLength(report.checks.length)
  expect(forms.junit).toMatch(/<testsuites name="touchstone" tests="7" failures="1" errors="1" skipped="3"/)
  expect(forms.junit).toContain('<skipped message="known failure: the proxy is old">')
  expect(forms.junit.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  const between = forms.junit.replace(/<[^<>]*>/g, '')
  expect(between).not.toMatch(/[<>]/)
})

test('the page loads nothing, runs no script but its own, and shows what was sent as text', () => {
  expect(forms.html.match(/<script/g)).toHaveLength(1)
  expect(forms.html).not.toMatch(/<link|<img|src=|https?:\/\/(?!127\.0\.0\.1)/)
  expect(forms.html).toContain('&lt;script&gt;alert')
  expect(forms.html).toContain('a key | with *marks* and &lt;b&gt;')
  expect(forms.html).toContain(
    'and &lt;b&gt;: expected error.code &quot;invalid_api_key&quot;, received &quot;missing_api_key&quot;</span>',
  )
  expect(forms.html.includes('and <b>')).toBe(false)
})

test('the Markdown keeps its tables and quotes', () => {
  const rows = forms.markdown.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| |'))
  expect(rows).toHaveLength(report.requirements.length)
  for (const row of rows) expect(row.replaceAll('\\|', '').match(/\|/g)).toHaveLength(5)
  expect(forms.markdown).toContain('### AUTH-4 (fail): a key \\| with \\*marks\\* and \\<b\\>')
  expect(forms.markdown).toContain('**2 of')
})

test.each([
  [['auth.pass'], 'passes', 'brightgreen', /^1 of \d+ MUST$/],
  [['auth.fail'], 'fails', 'red', /^0 of/],
  [[], 'no verdict', 'lightgrey', /^no verdict$/],
  [['keys.inconclusive'], 'incomplete', 'yellow', /^0 of/],
])('a run of %j %s, and its badge is %s', (ids, word, color, message) => {
  const own = madeReport({ results: results.filter(({ id }) => ids.includes(id)) })
  expect(renderMarkdown(own).split('\n')[0]).toContain(word)
  expect(JSON.parse(renderBadge(own))).toMatchObject({
    schemaVersion: 1,
    label: 'touchstone service',
    message: expect.stringMatching(message),
    color,
  })
})

test('a rule for clients that only this service has is marked as one', () => {
  expect(sourceOf('RETRY-1')).toMatch(
    /; these rows are this service's rules, which other services may not have$/,
  )
  for (const id of ['WIRE-1', 'AUTH-3', 'GATE-1', 'READ-1', 'CALL-1'] as const)
    expect(sourceOf(id)).not.toContain('rules')
})
