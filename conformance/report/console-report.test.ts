import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { requirement, requirements } from '../../spec/catalogue/requirements.ts'
import { renderConsole, renderHeading } from './console-report.ts'
import { consoleOptions } from '../../harness/cli/pen.ts'
import type { Report } from '../contract/report.ts'
import { evidence, madeReport, results } from './report.fixture.ts'

/** The lines of a terminal window that fills a screen. */
const SCREEN_LINES = 60

const plain = { color: false, columns: 100 }
const report = madeReport()
const shown = renderConsole(report, plain)

test('every requirement is one line with its outcome, level and checks, under its section', () => {
  expect(shown).toMatch(
    /\nAuthentication\n {2}✓ AUTH-3 +MUST .* 1 check\n {2}✗ AUTH-4 +MUST .* 2 checks\n {2}! AUTH-7 +SHOULD/,
  )
  expect(shown).toMatch(/\nWire format\n {2}‼ WIRE-4 .*\n {2}– WIRE-6/)
})

test('a failure quotes its requirement and shows expected, actual, the exchange and how to see it again', () => {
  const text = shown.replace(/\s+/g, ' ')
  expect(text).toContain(`FAIL AUTH-4 MUST “${requirement('AUTH-4').text}” (Authentication)`)
  for (const part of [
    'auth.fail: a key | with *marks* and <b>',
    'expected error.code "invalid_api_key"',
    'actual "missing_api_key"',
    '> POST http://127.0.0.1:8080/v1/chat/completions',
    '> Authorization: Bearer [redacted]',
    '< status 401',
    '--only auth.fail --seed 42',
    "or curl -sS -i 'http://127.0.0.1:8080/v1/chat/completions'",
    '< (no answer)',
    'baseline the proxy is old',
  ])
    expect(text).toContain(part)
})

test('in profile wire, a row about errors says which part of its text is demanded', () => {
  const ofWire = { ...report, target: { ...report.target, profile: 'wire' as const } }
  const note = '(Authentication; profile wire demands only the status and an error with a message)'
  const text = (which: typeof report): string => renderConsole(which, plain).replace(/\s+/g, ' ')
  expect(text(ofWire)).toContain(note)
  expect(text(report)).not.toContain(note)
})

test('what was not judged is listed with its reason, and the summary counts', () => {
  expect(shown).toMatch(/Could not be judged\n {2}KEY-5 {2}a revoked key is needed/)
  expect(shown).toMatch(/Not applicable\n {2}WIRE-6 {2}the target refuses n/)
  expect(shown).toMatch(/Not offered by the target .*\n {2}n /)
  expect(shown).toMatch(/No longer offered: .* \(--strict fails these\)\n {2}wire\.n\n/)
  expect(shown).toMatch(/Not covered by a case yet\n {2}AUTH-1 AUTH-2/)
  expect(shown).toMatch(
    /\nChecks: 1 passed, 2 failed \(1 expected\), 1 warned, 1 error, 1 inconclusive, 1 not applicable/,
  )
  expect(shown).toMatch(/\nInterop 1 of 1 · Strict 0 of 2 {2}http:\/\/127\.0\.0\.1:8080\n$/)
  expect(shown).toMatch(/NO VERDICT {2}2 of \d+ MUST judged: 1 holds, 1 does not/)
})

const [, failure] = results
if (failure === undefined) throw new Error('no failure')

/** A report with this number of findings, each of a single check. */
const withFindings = (count: number) =>
  madeReport({
    results: Array.from({ length: count }, (_, nth) => ({
      ...failure,
      id: `auth.fail-${nth}`,
      mismatch: { expected: `error.code "${'x'.repeat(200)}"`, actual: `"code_${'x'.repeat(nth + 1)}"` },
    })),
  })

test('up to 20 findings are all shown', () => {
  const twenty = renderConsole(withFindings(20), plain)
  expect(twenty.match(/^ {2}✗ AUTH-4 .* 1 check /gm)).toHaveLength(18)
  expect(twenty).not.toContain('more, which --html')
  expect(renderConsole(withFindings(21), plain)).toContain('  and 1 more, which --html and --json show')
})

test('the line of a finding is cut to the width of a terminal, and whole in a file', () => {
  const lines = (isTTY: boolean): readonly string[] =>
    renderConsole(withFindings(4), consoleOptions({ isTTY, columns: 90 }, { NO_COLOR: '1' })).match(
      /^ {2}✗ AUTH-4 .* 1 check .*$/gm,
    ) ?? []
  expect(lines(true).map((line) => [line.length <= 90, line.at(-1)])).toEqual([
    [true, '…'],
    [true, '…'],
  ])
  expect(
    lines(false).map((line) => line.endsWith('received "code_xxx"') || line.endsWith('"code_xxxx"')),
  ).toEqual([true, true])
})

test('a check without a verdict shows its exchange', () => {
  const open = { ...failure, outcome: 'inconclusive' as const, reason: 'the texts cannot be distinguished' }
  const { mismatch: _, ...unjudged } = open
  const text = renderConsole(madeReport({ results: [unjudged] }), plain)
  expect(text).toMatch(/Could not be judged\n {2}AUTH-4 {2}the texts .*\n\n {2}auth\.fail: .*\n {4}> POST /)
  expect(text).toContain('    < status 401\n')
})

test('a row of which the baseline expects every failure is not among those that do not hold', () => {
  const known = (ids: readonly string[]) =>
    renderConsole(
      madeReport({ results, baseline: new Map(ids.map((id) => [id, { reason: 'the proxy is old' }])) }),
      plain,
    )
  expect(known(['auth.unanswered', 'auth.fail'])).toContain(
    ': 1 holds, 0 do not, 1 is a known failure of the baseline\n',
  )
  expect(known(['auth.unanswered'])).toContain(': 1 holds, 1 does not\n')
})

test('a long body shows both its ends', () => {
  const record = (text: string): string => `data: {"delta":"${text}"}\n\n`
  for (const count of [100, 5000]) {
    const stream = `${record('first')}${record('middle').repeat(count)}${record('last')}data: [DONE]\n\n`
    const exchanges = [{ ...evidence, response: { ...evidence.response, body: Buffer.from(stream) } }]
    const text = renderConsole(madeReport({ results: [{ ...failure, exchanges }] }), plain)
    expect(text).toContain('< data: {"delta":"first"}\n')
    expect(text).toContain('    < …\n    < data: {"delta":"middle"}\n')
    expect(text).toContain('< data: {"delta":"last"}\n    < \n    < data: [DONE]\n    < (')
  }
})

test('a requirement that does not apply for several reasons is listed once', () => {
  const [passed] = results
  if (passed === undefined) throw new Error('no checks')
  const open = (at: number, reason: string) => ({
    ...passed,
    id: `errors.${at}`,
    requirement: 'ERR-6' as const,
    outcome: 'not-applicable' as const,
    reason,
  })
  const all = [passed, open(1, 'no 404 came'), open(2, 'no 429 came'), open(3, 'no 404 came')]
  const text = renderConsole(madeReport({ results: all }), plain)
  expect(text).toContain('Not applicable\n  ERR-6  no 404 came; no 429 came\n\n')
})

test('a service that answers 422 for every 400 is one line of the summary, with the number of checks', () => {
  const [passed, failed] = results
  if (passed === undefined || failed === undefined) throw new Error('no checks')
  const mismatch = { expected: 'status 400', actual: 'refused, but with 422, {}' }
  const ofOne = ['chat.a', 'chat.b'].map((id) =>
    Object.assign({}, failed, { id, requirement: 'CHAT-5', mismatch, exchanges: [] }),
  )
  const text = renderConsole(madeReport({ results: [passed, ...ofOne] }), plain)
  expect(text).toContain(
    '\n! the service answers 422 for every 400: one cause of 2 checks that do not hold\n',
  )
  expect(shown).not.toContain('for every 400')
})

test('a selection without a MUST is not summed up as if it had some', () => {
  const upTo = (outcome: 'pass' | 'warn' | 'not-applicable') =>
    renderConsole(
      madeReport({
        results: results.flatMap((result) => (result.level === 'SHOULD' ? [{ ...result, outcome }] : [])),
      }),
      plain,
    )
  expect(upTo('pass')).toContain('no MUST selected, 1 of 1 other row judged: 1 holds, 0 do not')
  expect(upTo('warn')).toContain('no MUST selected, 1 of 1 other row judged: 0 hold, 1 does not')
  expect(upTo('not-applicable')).toContain('no MUST selected, 0 of 1 other row judged: 0 hold, 0 do not')
})

test('of the checks with one cause, one is shown in full and the others are named', () => {
  const many = Array.from({ length: 6 }, (_, nth) => ({ ...failure, id: `auth.fail-${nth}` }))
  const text = renderConsole(madeReport({ results: many }), plain)
  expect(text.match(/< status 401/g)).toHaveLength(1)
  expect(text).toContain('and 5 further checks:')
  for (const { id } of many) expect(text).toContain(id)
})

test('nothing that a server sent drives the terminal', () => {
  expect(shown).not.toContain('\u001b')
})

test('colour changes nothing but colour', () => {
  const coloured = renderConsole(report, { ...plain, color: true })
  expect(coloured).toContain('\u001b[')
  expect(stripVTControlCharacters(coloured)).toBe(shown)
})

/** Rows that fail for no reason but their own; without streams, others fail too. */
const judged = requirements.filter(({ id, subject }) => subject === 'server' && !/^(STREAM|SDK)-/.test(id))

/** A report in which the checks of all rows fail, `each` of them in every row, with codes that differ as `code` says. */
function brokenReport(each: number, code: (row: number) => string): Report {
  const results = judged.flatMap(({ id, level }, row) =>
    Array.from({ length: each }, (_, nth) => ({
      id: `check-${row}-${nth}`,
      requirement: id,
      level,
      outcome: 'fail' as const,
      title: 'a title',
      durationMs: 1,
      exchanges: [evidence],
      mismatch: { expected: 'error.code "some_code"', actual: code(row) },
      reason: 'a reason',
    })),
  )
  return madeReport({ results })
}

test.each([
  ['one cause', () => 'nothing', 1],
  ['a cause for each row', (row: number) => `"${'x'.repeat(row + 1)}"`, judged.length],
])('a report on hundreds of failures with %s fits on two screens', (_, code, causes) => {
  const text = renderConsole(brokenReport(10, code), { color: false, columns: 110 })
  const lines = text.split('\n')
  expect(lines.length).toBeLessThan(2 * SCREEN_LINES)
  expect(text).toContain(`What to fix, the worst first: ${causes} finding`)
  for (const { id } of judged) expect(text).toMatch(new RegExp(`\\b${id}\\b`))
})

test('the heading says what is judged, and how', () => {
  expect(renderHeading('http://h', ['profile wire', 'model m', 'seed 7'], plain)).toBe(
    'Touchstone judges http://h  profile wire · model m · seed 7\n',
  )
})

test('colour is for terminals that want it', () => {
  expect(consoleOptions({ isTTY: true, columns: 90 }, {})).toEqual({ color: true, columns: 90 })
  expect(consoleOptions({ isTTY: true }, { NO_COLOR: '1' }).color).toBe(false)
  expect(consoleOptions({ isTTY: true }, { NO_COLOR: '' }).color).toBe(true)
  expect(consoleOptions({ isTTY: true }, { TERM: 'dumb' }).color).toBe(false)
  expect(consoleOptions({ isTTY: true, columns: 0 }, {}).columns).toBe(110)
  expect(consoleOptions({}, { FORCE_COLOR: '1' }).color).toBe(false)
})

test('says which waits were cut short', () => {
  const wait = { name: 'the end of a stream', wholeMs: 5000, shortMs: 500, count: 37 }
  const text = renderConsole(madeReport({ shortenedWaits: [wait] }), plain)
  expect(text).toContain(
    '! the judge waited 0.5 s instead of 5 s for the end of a stream, 37 times, because earlier ones were slow',
  )
  expect(renderConsole(report, plain)).not.toContain('the judge waited')
})
