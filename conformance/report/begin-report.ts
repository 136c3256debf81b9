// The frame of every run, whatever it judges: the selection is checked, the baseline read and the seed drawn before it
// begins, and the report is built when it ends.
import { randomInt } from 'node:crypto'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { PROGRAM } from '../../harness/program.ts'
import type { Redactor } from '../../harness/redact.ts'
import type { requirements } from '../../spec/catalogue/requirements.ts'
import { type Tier, tierOf } from '../../spec/catalogue/tiers.ts'
import { readBaseline } from '../contract/baseline.ts'
import { narrowedBy } from '../contract/selection.ts'
import { type JudgedSubject, buildReport } from './build-report.ts'
import type { Report } from '../contract/report.ts'

export interface RunScope {
  /** Left out for a server. */
  readonly subject?: Exclude<Report['subject'], undefined>
  readonly rows: typeof requirements
  /** Every check of the catalogue that the run uses. */
  readonly checks: readonly { readonly id: string; readonly requirement: string }[]
  /** Every check that a baseline may name; left out: `checks`. */
  readonly known?: readonly { readonly id: string }[]
  readonly selected: number
}

interface ReportOptions {
  readonly only: string | undefined
  readonly tier?: Tier | undefined
  readonly seed: number | undefined
  readonly baseline: string | undefined
  readonly allowIncomplete: boolean
  readonly strict: boolean
}

/** Begins a run. Throws `UsageError` if no check is selected, and `BaselineError` if the baseline cannot be used. */
export function beginReport(scope: RunScope, options: ReportOptions, redactor: Redactor) {
  const { only, tier, allowIncomplete, strict } = options
  const { checks, known = checks, subject } = scope
  if (scope.selected === 0) {
    const noun = subject === undefined ? 'check' : `check of ${subject}s`
    throw new UsageError(`${narrowedBy(options)}: no ${noun} matches; \`${PROGRAM} list\` shows them`)
  }
  const ids = new Set(known.map(({ id }) => id))
  const baseline =
    options.baseline === undefined ? undefined : readBaseline(options.baseline, (id) => ids.has(id))
  const seed = options.seed ?? randomInt(2 ** 32)
  const startedAt = new Date()
  const startedMs = performance.now()
  const elapsedMs = (): number => performance.now() - startedMs
  return {
    seed,
    /** The time since the run began, in milliseconds. */
    elapsedMs,
    finish: (judged: JudgedSubject) =>
      buildReport({
        durationMs: elapsedMs(),
        ...judged,
        ...(subject === undefined ? {} : { subject }),
        rows: scope.rows.filter(({ id }) => tier === undefined || tierOf(id) === tier),
        covered: new Set(checks.map(({ requirement }) => requirement)),
        isWhole: only === undefined,
        baseline,
        allowIncomplete,
        strict,
        seed,
        startedAt,
        redactor,
      }),
  }
}
