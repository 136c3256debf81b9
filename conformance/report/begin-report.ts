// The frame of the run of any subject: before it begins, the selection is checked, the baseline read and the seed
// drawn; when it ends, the report is built.
import { randomInt } from 'node:crypto'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { contain } from '../../harness/containment.ts'
import { PROGRAM } from '../../harness/program.ts'
import type { Redactor } from '../../harness/secrets/redact.ts'
import { type requirements, tierOf } from '../../spec/catalogue/requirements.ts'
import type { Tier } from '../../spec/catalogue/section.ts'
import { readBaseline } from '../contract/baseline.ts'
import { narrowedBy } from '../contract/selection.ts'
import { type JudgedSubject, buildReport } from './build-report.ts'
import type { Report } from '../contract/report.ts'

/** The most errors of the judge itself that a report has. */
const MOST_FAULTS = 20

export interface RunScope {
  /** Left out for a server. */
  readonly subject?: Exclude<Report['subject'], undefined>
  readonly rows: typeof requirements
  /** Every check of the subject: a baseline may name these. */
  readonly checks: readonly { readonly id: string; readonly requirement: string }[]
  readonly selected: number
}

interface ReportOptions {
  readonly only: string | undefined
  readonly tier?: Tier | undefined
  readonly seed: number | undefined
  readonly baseline: string | undefined
  readonly allowIncomplete: boolean
  readonly allowStale?: boolean
  readonly strict: boolean
}

/** Begins a run. Throws `UsageError` if no check is selected, and `BaselineError` if the baseline cannot be used. */
export function beginReport(scope: RunScope, options: ReportOptions, redactor: Redactor) {
  const { only, tier, allowIncomplete, allowStale = false, strict } = options
  const { checks, subject } = scope
  if (scope.selected === 0) {
    const noun = subject === undefined ? 'check' : `check of ${subject}s`
    throw new UsageError(`${narrowedBy(options)}: no ${noun} matches; \`${PROGRAM} list\` shows them`)
  }
  const ids = new Set(checks.map(({ id }) => id))
  const baseline =
    options.baseline === undefined ? undefined : readBaseline(options.baseline, (id) => ids.has(id))
  const seed = options.seed ?? randomInt(2 ** 32)
  const startedAt = new Date()
  const startedMs = performance.now()
  const elapsedMs = (): number => performance.now() - startedMs
  const crashed = new AbortController()
  const faults: string[] = []
  /** Adds an error of the judge itself: then the run has no verdict. */
  function fault(error: unknown, onFault: (message: string) => void): void {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
    const text = redactor.text(stack ?? message)
    if (faults.length >= MOST_FAULTS || faults.includes(text)) return
    faults.push(text)
    onFault(redactor.text(`the judge itself failed, so there is no verdict: ${message}`))
  }
  return {
    seed,
    /** The time since the run began, in milliseconds. */
    elapsedMs,
    fault,
    /**
     * Runs the checks. An error that nothing catches and that belongs to no check ends them early, by the signal that `act` gets:
     * the report then has what was judged before, and no verdict. Rejects as `act` does.
     */
    contain<Result>(
      signal: AbortSignal,
      onFault: (message: string) => void,
      act: (signal: AbortSignal) => Promise<Result>,
    ): Promise<Result> {
      return contain(
        (error) => {
          fault(error, onFault)
          crashed.abort(error)
        },
        () => act(AbortSignal.any([signal, crashed.signal])),
      )
    },
    finish: (judged: JudgedSubject) =>
      buildReport({
        durationMs: elapsedMs(),
        ...judged,
        faults: [...faults, ...(judged.faults ?? [])],
        ...(subject === undefined ? {} : { subject }),
        rows: scope.rows.filter(({ id }) => tier === undefined || tierOf(id) === tier),
        covered: new Set(checks.map(({ requirement }) => requirement)),
        isWhole: only === undefined,
        baseline,
        allowIncomplete,
        allowStale,
        strict,
        seed,
        startedAt,
        redactor,
      }),
  }
}
