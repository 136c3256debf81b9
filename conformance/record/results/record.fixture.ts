// Reports of complete runs for tests, with chosen or arbitrary outcomes, and records made from them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { isRequirementId } from '../../../spec/catalogue/requirements.ts'
import { REPORT_SCHEMA, type Report } from '../../contract/report.ts'
import { OUTCOMES, type Outcome } from '../../contract/outcome.ts'
import { rollUp, totals } from '../../contract/verdict.ts'
import { checksOf, isFailure, isOutcomeOf } from './checks-of.ts'
import type { Entry } from './entry.ts'
import type { Added } from './make-entry.ts'

type Judged = Pick<Entry, 'kind' | 'profile'>

/** Every kind with the profiles by which it is judged. */
export const JUDGED: readonly Judged[] = [
  { kind: 'server', profile: 'wire' },
  { kind: 'server', profile: 'service' },
  { kind: 'gateway', profile: 'gateway' },
  { kind: 'gateway', profile: 'wire' },
  { kind: 'client', profile: 'client' },
]

/** A report of a complete run, in which each check has the given outcome, or passes. */
export function reportOf(
  { kind, profile }: Judged,
  outcomes: Readonly<Record<string, Outcome>> = {},
  members: Partial<Report> = {},
): Report {
  const all = checksOf({ catalogue: '1', kind, profile })
  if (all === undefined) throw new Error(`a ${kind} is not judged by profile ${profile}`)
  const checks = [...all.values()].map(({ id, requirement, level, title }) => {
    const outcome = outcomes[id] ?? 'pass'
    const check = { id, requirement, level, outcome, title, durationMs: 1, exchanges: [] }
    return isFailure(outcome) ? Object.assign(check, { expected: 'status 400', actual: 'status 200' }) : check
  })
  const judgements = checks.filter((check) => isRequirementId(check.requirement))
  return {
    schema: REPORT_SCHEMA,
    catalogueVersion: '1',
    ...(kind === 'server' ? {} : { subject: kind }),
    target: {
      baseUrl: 'http://127.0.0.1:8000',
      profile: profile === 'service' ? 'service' : 'wire',
      model: 'tiny',
      facts: [],
      capabilities: [],
    },
    seed: 1,
    runs: 1,
    startedAt: '2026-11-20T10:00:00.000Z',
    durationMs: 1234,
    requests: checks.length,
    exitCode: 0,
    totals: totals(judgements),
    coverage: { applicable: 0, judged: 0, notCovered: [] },
    faults: [],
    staleBaseline: [],
    missingCapabilities: [],
    requirements: [...rollUp(judgements)],
    checks,
    ...members,
  }
}

/** Any report of a complete run of that kind, without `--strict`: the levels bound the outcomes. */
export function arbitraryReport(judged: Judged): fc.Arbitrary<Report> {
  const all = [...(checksOf({ catalogue: '1', ...judged })?.values() ?? [])]
  const failing = fc.subarray(all, { maxLength: 40 })
  const outcome = fc.constantFrom(...OUTCOMES)
  const others = { seed: fc.nat(), runs: fc.nat(), requests: fc.nat(), durationMs: fc.nat() }
  return fc
    .record({
      failing,
      drawn: fc.array(outcome, { minLength: 40, maxLength: 40 }),
      others: fc.record(others),
    })
    .map(({ failing: chosen, drawn, others: members }) => {
      const outcomes = chosen.flatMap(({ id, level }, at) => {
        const one = drawn[at] ?? 'pass'
        return isOutcomeOf(level, one) ? [[id, one] as const] : []
      })
      return reportOf(judged, Object.fromEntries(outcomes), members)
    })
}

/** The members that a person adds to a report. */
export const ADDED: Added = {
  name: 'good-server',
  version: '1.2.3',
  flags: ['--profile', 'wire'],
  platform: { os: 'linux', arch: 'x64', cores: 2, node: '24.21.0' },
  model: 'SmolLM2-135M-Instruct, Q4_1',
  provenance: 'third-party',
  reproduce: [
    'npm install good-server@1.2.3',
    'npm run conformance -- --base-url http://127.0.0.1:8000 --profile wire',
  ],
}

export const ABOUT = {
  title: 'Good server',
  home: 'https://github.com/example/good-server',
  description: 'A server for tests.',
}

/** An empty record in a folder that is removed at the end of the block. */
export function temporaryRecord(): { readonly record: string } & Disposable {
  const record = mkdtempSync(join(tmpdir(), 'touchstone-record-'))
  return { record, [Symbol.dispose]: () => rmSync(record, { recursive: true, force: true }) }
}
