// Reports and entries of complete runs for tests, with chosen or arbitrary outcomes, and an empty public record.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { REPORT_SCHEMA, type Report } from '../../contract/report.ts'
import { OUTCOMES, type Outcome } from '../../contract/outcome.ts'
import { CATALOGUE_VERSION } from '../../../spec/catalogue/requirements.ts'
import { totals } from '../../contract/verdict.ts'
import { checksOf } from './check-index.ts'
import { isFailure, isOutcomeOf } from './outcomes.ts'
import type { Entry } from './result-entry.ts'
import { type Added, makeEntry, readReport } from './make-entry.ts'

export type JudgedKind = Pick<Entry, 'kind' | 'profile'>

/** Every kind with the profiles by which it is judged. */
export const JUDGED: readonly JudgedKind[] = [
  { kind: 'server', profile: 'wire' },
  { kind: 'server', profile: 'service' },
  { kind: 'gateway', profile: 'gateway' },
  { kind: 'gateway', profile: 'wire' },
  { kind: 'client', profile: 'client' },
]

/** The checks of such a run by their ids. */
export function checksFor({ kind, profile }: JudgedKind) {
  const all = checksOf({ catalogue: CATALOGUE_VERSION, kind, profile })
  if (all === undefined) throw new Error(`a ${kind} is not judged by profile ${profile}`)
  return all
}

/** A report of a complete run, in which each check has the given outcome, or passes. */
export function reportOf(
  { kind, profile }: JudgedKind,
  outcomes: Readonly<Record<string, Outcome>> = {},
  members: Partial<Report> = {},
): Report {
  const checks = [...checksFor({ kind, profile }).values()].map(({ id, requirement, level, title }) => {
    const outcome = outcomes[id] ?? 'pass'
    const check = { id, requirement, level, outcome, title, durationMs: 1, exchanges: [] }
    return isFailure(outcome) ? Object.assign(check, { expected: 'status 400', actual: 'status 200' }) : check
  })
  return {
    schema: REPORT_SCHEMA,
    catalogueVersion: CATALOGUE_VERSION,
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
    totals: totals([]),
    coverage: { applicable: 0, judged: 0, notCovered: [] },
    faults: [],
    staleBaseline: [],
    missingCapabilities: [],
    requirements: [],
    checks,
    ...members,
  }
}

/** Any report of a complete run of that kind, without `--strict`: the levels bound the outcomes. */
export function arbitraryReport(judged: JudgedKind): fc.Arbitrary<Report> {
  const all = checksFor(judged)
  const outcomes = fc.dictionary(fc.constantFrom(...all.keys()), fc.constantFrom(...OUTCOMES), {
    maxKeys: 40,
  })
  const members = fc.record({ seed: fc.nat(), runs: fc.nat(), requests: fc.nat(), durationMs: fc.nat() })
  return fc.tuple(outcomes, members).map(([drawn, others]) => {
    const allowed = Object.entries(drawn).filter(([id, outcome]) =>
      isOutcomeOf(all.get(id)?.level ?? 'MUST', outcome),
    )
    return reportOf(judged, Object.fromEntries(allowed), others)
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
    'npx touchstone --base-url http://127.0.0.1:8000 --profile wire',
  ],
}

/** A report as its file is read. */
export const fileOf = (report: object) => readReport(Buffer.from(JSON.stringify(report)), 'report.json')

/** An entry of a run with these outcomes, whose report is its own. */
export function entryOf(
  judged: JudgedKind,
  outcomes: Readonly<Record<string, Outcome>> = {},
  added: Partial<Added> = {},
): Entry {
  const report = reportOf(judged, outcomes, { seed: (seed += 1) })
  return structuredClone(makeEntry(fileOf(report), { ...ADDED, ...added }))
}
let seed = 0

export const ABOUT = {
  title: 'Good server',
  home: 'https://github.com/example/good-server',
  description: 'A server for tests.',
}

/** An empty public record in a folder that is removed at the end of the block. */
export function temporaryRecord(): { readonly record: string } & Disposable {
  const record = mkdtempSync(join(tmpdir(), 'touchstone-record-'))
  return { record, [Symbol.dispose]: () => rmSync(record, { recursive: true, force: true }) }
}
