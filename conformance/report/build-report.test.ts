import { expect, test } from 'vitest'
import { CATALOGUE_VERSION } from '../../spec/catalogue/requirements.ts'
import { madeExchange } from '../../harness/exchange.fixture.ts'
import { madeReport, results } from './report.fixture.ts'
import { reportSchema } from '../contract/report.ts'

const report = madeReport()
const checkOf = (id: string) => report.checks.find((check) => check.id === id)

test('is exactly the schema that it names', () => {
  expect(reportSchema.parse(report)).toEqual(report)
  expect(report).toMatchObject({
    schema: 'touchstone.report/1',
    catalogueVersion: CATALOGUE_VERSION,
    target: { baseUrl: 'http://127.0.0.1:8080', profile: 'service', model: 'svc-0.1-test' },
    seed: 42,
    startedAt: '2026-11-20T10:00:00.000Z',
    durationMs: 4210,
    exitCode: 2,
    totals: { pass: 1, fail: 2, warn: 1, 'not-applicable': 1, inconclusive: 1, error: 1 },
  })
})

test('each requirement of servers has its tier, and each tier its counts', () => {
  expect(report.requirements.find(({ id }) => id === 'AUTH-3')?.tier).toBe('interop')
  expect(report.requirements.find(({ id }) => id === 'AUTH-4')?.tier).toBe('strict')
  expect(report.tiers).toEqual({ interop: { judged: 1, hold: 1 }, strict: { judged: 2, hold: 0 } })
  const [passed] = results
  if (passed === undefined) throw new Error('no check')
  const ofClient = madeReport({ subject: 'client', results: [{ ...passed, requirement: 'RETRY-1' }] })
  expect(ofClient.tiers).toBeUndefined()
  expect(ofClient.requirements[0]?.tier).toBeUndefined()
})

test('a check that is not applicable and not in the baseline is no longer offered, and fails a strict run', () => {
  expect(report.noLongerOffered).toEqual(['wire.n'])
  expect(madeReport({ baseline: undefined }).noLongerOffered).toBeUndefined()
  const [passed] = results
  const lost = results.filter(({ id }) => id === 'wire.n')
  if (passed === undefined) throw new Error('no check')
  const exitCodeOf = (strict: boolean, ...listed: readonly string[]) => {
    const baseline = new Map(listed.map((id) => [id, { reason: 'r', outcome: 'not-applicable' as const }]))
    return madeReport({ strict, baseline, results: [passed, ...lost] }).exitCode
  }
  expect([exitCodeOf(false), exitCodeOf(true), exitCodeOf(true, 'wire.n')]).toEqual([0, 1, 0])
})

test('everything but a pass has a reason, and what does not hold a way to see it again', () => {
  for (const { outcome, reason } of report.checks) expect(reason === undefined).toBe(outcome === 'pass')
  expect(checkOf('auth.fail')).toMatchObject({
    expected: 'error.code "invalid_api_key"',
    actual: '"missing_api_key"',
    rerun: 'npx touchstone --base-url http://127.0.0.1:8080 --only auth.fail --seed 42',
  })
  expect(checkOf('auth.fail')?.reproduce).toContain('"Authorization: Bearer $CONFORMANCE_API_KEY"')
  expect(checkOf('auth.unanswered')).toMatchObject({ baseline: 'the proxy is old' })
  expect(checkOf('auth.unanswered')?.exchanges).toMatchObject([{ response: null, timings: null }])
  expect(checkOf('keys.inconclusive')).toMatchObject({ variable: 'CONFORMANCE_REVOKED_KEY' })
})

test('evidence is last and whole; of what passed one example is enough', () => {
  expect(checkOf('auth.fail')?.exchanges).toHaveLength(2)
  expect(checkOf('auth.fail')?.exchanges.at(-1)?.response).toMatchObject({
    status: 401,
    body: '{"error":{"message":"No key [redacted].","type":"authentication_error","code":"missing_api_key"}}',
  })
  const [passed] = results
  if (passed === undefined) throw new Error('no check')
  const twice = { ...passed, exchanges: [madeExchange(), madeExchange()] }
  expect(madeReport({ results: [twice] }).checks[0]?.exchanges).toHaveLength(1)
})

test('findings count every check that is not judged to hold, and show one exchange', () => {
  const { findings = [], checks } = report
  const open = checks.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable')
  expect(findings.flatMap((finding) => finding.checks).toSorted()).toEqual(
    open.map(({ id }) => id).toSorted(),
  )
  expect(findings.map(({ count }) => count)).toEqual(findings.map((finding) => finding.checks.length))
  const own = checkOf('auth.fail')
  expect(findings.find((finding) => finding.checks.includes('auth.fail'))).toEqual({
    requirement: 'AUTH-4',
    requirements: ['AUTH-4'],
    level: 'MUST',
    outcome: 'fail',
    what: 'a key | with *marks* and <b>: expected error.code "invalid_api_key", received "missing_api_key"',
    count: 1,
    checks: ['auth.fail'],
    expected: own?.expected,
    actual: own?.actual,
    reproduce: own?.reproduce,
    rerun: own?.rerun,
    exchange: own?.exchanges.at(-1),
  })
})
