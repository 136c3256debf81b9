// A report for tests: it has one check of every outcome, and is built as a run builds it.
import { readFileSync } from 'node:fs'
import { madeExchange } from '../../harness/exchange.fixture.ts'
import { type Redactor, createRedactor } from '../../harness/secrets/redact.ts'
import type { CheckResult } from '../contract/result.ts'
import { rowsOf } from '../contract/verdict.ts'
import { madeTarget } from '../facts/target.fixture.ts'
import { type FinishedRun, buildReport } from './build-report.ts'
import { type Report, reportSchema } from '../contract/report.ts'

export const KEY = 'svc_sk_Zk3v9QeWq1xR7tYb5nUo2mLc8pHs4dGa6fJi0wBzXyV'

export const evidence = madeExchange({
  status: 401,
  requestHeaders: [
    ['Host', '127.0.0.1:8080'],
    ['Authorization', `Bearer ${KEY}`],
    ['Content-Type', 'application/json'],
  ],
  requestBody: `{"model":"m","note":"<script>alert('&')</script>"}`,
  body: { error: { message: `No key ${KEY}.`, type: 'authentication_error', code: 'missing_api_key' } },
})

const common = { durationMs: 3, exchanges: [], title: 'a title', level: 'MUST' } as const

export const results: readonly CheckResult[] = [
  { ...common, id: 'auth.pass', requirement: 'AUTH-3', outcome: 'pass', exchanges: [evidence] },
  {
    ...common,
    id: 'auth.fail',
    requirement: 'AUTH-4',
    outcome: 'fail',
    title: 'a key | with *marks* and <b>',
    mismatch: { expected: 'error.code "invalid_api_key"', actual: '"missing_api_key"' },
    reason: 'expected error.code "invalid_api_key", got "missing_api_key"',
    exchanges: [madeExchange(), evidence],
  },
  {
    ...common,
    id: 'auth.unanswered',
    requirement: 'AUTH-4',
    outcome: 'fail',
    mismatch: { expected: 'an answer', actual: 'the connection was broken' },
    reason: 'expected an answer, got the connection was broken',
    unanswered: evidence.request,
  },
  {
    ...common,
    id: 'auth.warn',
    requirement: 'AUTH-7',
    level: 'SHOULD',
    outcome: 'warn',
    mismatch: { expected: 'status 401', actual: 'status 404\u001b[31m' },
    reason: 'expected status 401, got status 404\u001b[31m',
    exchanges: [evidence],
  },
  {
    ...common,
    id: 'keys.inconclusive',
    requirement: 'KEY-5',
    outcome: 'inconclusive',
    reason: 'a revoked key is needed',
    variable: 'CONFORMANCE_REVOKED_KEY',
  },
  {
    ...common,
    id: 'wire.n',
    requirement: 'WIRE-6',
    outcome: 'not-applicable',
    reason: 'the target refuses n',
  },
  {
    ...common,
    id: 'wire.error',
    requirement: 'WIRE-4',
    outcome: 'error',
    reason: 'TypeError: x\n    at case',
  },
]

export function finishedRun(more: Partial<FinishedRun> = {}): FinishedRun {
  const redactor: Redactor = createRedactor([KEY])
  return {
    target: {
      ...madeTarget(),
      facts: () => [{ name: 'model', value: 'svc-0.1-test', learned: '--model' }],
      capabilities: () => [{ name: 'n', offered: false, learned: 'asked: a 400 that names it' }],
    },
    results,
    rows: rowsOf('service'),
    covered: new Set(['AUTH-3', 'AUTH-4']),
    baseline: new Map([['auth.unanswered', { reason: 'the proxy is old' }]]),
    allowIncomplete: false,
    missingCapabilities: [],
    unknownCapabilities: [],
    isWhole: true,
    faults: [],
    seed: 42,
    runs: 50,
    startedAt: new Date('2026-11-20T10:00:00.000Z'),
    durationMs: 4210.4,
    requests: 12,
    tokens: { prompt: 340, completion: 95 },
    interrupted: false,
    redactor,
    variableOf: new Map([[KEY, 'CONFORMANCE_API_KEY']]),
    commandLine: (flags) => `npx touchstone --base-url http://127.0.0.1:8080 ${flags}`,
    ...more,
  }
}

/** The report in this file, which has the form of the schema. */
export const readReport = (file: string): Report => reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')))

export function madeReport(more: Partial<FinishedRun> = {}): Report {
  return buildReport(finishedRun(more))
}
