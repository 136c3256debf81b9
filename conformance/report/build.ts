// Makes the report of a run: everything that any form of it shows, redacted here, once, for all of them.
import { CATALOGUE_VERSION, type requirements } from '../../spec/catalogue/requirements.ts'
import type { Baseline } from '../verdict/baseline.ts'
import type { Redactor } from '../../harness/redact.ts'
import type { CheckResult } from '../runner/check-result.ts'
import type { JudgedTarget } from '../runner/judge-target.ts'
import { type ExitCode, coverage, exitCode, rollUp, stale, totals } from '../verdict/verdict.ts'
import { EVIDENCE_CHARS, PASSED_CHARS, curlLine, showExchange, showUnanswered } from './exchange.ts'
import { REPORT_SCHEMA, type Report, type ReportCheck } from './schema.ts'

export interface FinishedRun extends Omit<JudgedTarget, 'target'> {
  readonly target: Pick<
    JudgedTarget['target'],
    'baseUrl' | 'profile' | 'model' | 'facts' | 'capabilities'
  > & {
    /** The words that start the program, where a client is judged and was started. */
    readonly command?: readonly string[]
  }
  /** Left out for a server. */
  readonly subject?: 'client'
  /** The rows that the run judges by. */
  readonly rows: typeof requirements
  /** Requirements that some case or observer stands for. */
  readonly covered: ReadonlySet<string>
  /** Every check of the profile was selected, or one for each of its rows. */
  readonly isWhole: boolean
  /** The version of the catalogue that was judged by, and the ids of the checks that came after it. */
  readonly pinned: { readonly version: number; readonly leftOut: readonly string[] }
  readonly baseline: Baseline
  readonly allowIncomplete: boolean
  /** What the judge itself could not do, beside its checks. */
  readonly faults: readonly string[]
  readonly seed: number
  readonly runs: number
  readonly startedAt: Date
  readonly durationMs: number
  readonly redactor: Redactor
  /** Names of headers whose values are never shown, in lower case. */
  readonly secretHeaders: ReadonlySet<string>
  /** The environment variable that holds each key that was given. */
  readonly variableOf: ReadonlyMap<string, string>
  /** How to start the judge against this target again, with these flags. */
  readonly commandLine: (flags: string) => string
}

export function buildReport(run: FinishedRun): Report {
  const { target, results, redactor } = run
  const expected = new Set(run.baseline.keys())
  const { applicable, judged, notCovered } = coverage(results, run.rows, run.covered, run.isWhole)
  const verdict = {
    expected,
    allowIncomplete: run.allowIncomplete,
    missing: run.missingCapabilities,
    unknown: run.unknownCapabilities,
  }
  return {
    schema: REPORT_SCHEMA,
    catalogueVersion: CATALOGUE_VERSION,
    ...(String(run.pinned.version) === CATALOGUE_VERSION
      ? {}
      : { catalogue: { version: String(run.pinned.version), leftOut: [...run.pinned.leftOut] } }),
    ...(run.subject === undefined ? {} : { subject: run.subject }),
    target: {
      ...(target.command === undefined ? {} : { command: target.command.map(redactor.text) }),
      baseUrl: redactor.text(target.baseUrl),
      profile: target.profile,
      model: redactor.text(target.model),
      facts: target
        .facts()
        .map(({ name, value, learned }) => ({ name, value: clean(value, redactor), learned })),
      capabilities: [...target.capabilities()],
    },
    seed: run.seed,
    runs: run.runs,
    startedAt: run.startedAt.toISOString(),
    durationMs: Math.round(run.durationMs),
    requests: run.requests,
    tokens: { ...run.tokens },
    ...(run.interrupted ? { interrupted: true } : {}),
    exitCode: verdictOf(run, exitCode(results, verdict)),
    totals: totals(results),
    coverage: { applicable, judged, notCovered: [...notCovered] },
    faults: [...run.faults],
    staleBaseline: [...stale(results, expected)],
    missingCapabilities: [...run.missingCapabilities],
    ...(run.unknownCapabilities.length === 0 ? {} : { unknownCapabilities: [...run.unknownCapabilities] }),
    requirements: [...rollUp(results)],
    checks: results.map((result) => showCheck(result, run)),
  }
}

/** A run that could not clean up has no verdict, and one that was ended early has not shown that all holds. */
function verdictOf({ faults, interrupted }: FinishedRun, code: ExitCode): ExitCode {
  if (faults.length > 0) return 2
  return interrupted && code === 0 ? 3 : code
}

function showCheck(result: CheckResult, run: FinishedRun): ReportCheck {
  const { redactor, secretHeaders } = run
  const doesNotHold = result.mismatch !== undefined
  const maxBodyChars = doesNotHold ? EVIDENCE_CHARS : PASSED_CHARS
  const show = { redactor, secretHeaders, maxBodyChars }
  // What passed needs no more than one example; what did not, all that was kept.
  const kept = doesNotHold || result.outcome === 'error' ? result.exchanges : result.exchanges.slice(-1)
  const exchanges = kept.map((exchange) => showExchange(exchange, show))
  if (result.unanswered !== undefined) exchanges.push(showUnanswered(result.unanswered, show))
  const evidence = result.unanswered ?? result.exchanges.at(-1)?.request
  const text = (name: string, value: string | undefined): Record<string, string> =>
    value === undefined ? {} : { [name]: redactor.text(value) }
  return {
    id: result.id,
    requirement: result.requirement,
    level: result.level,
    outcome: result.outcome,
    title: redactor.text(result.title),
    ...text('expected', result.mismatch?.expected),
    ...text('actual', result.mismatch?.actual),
    ...text('reason', result.reason),
    ...text('variable', result.variable),
    ...text('baseline', run.baseline.get(result.id)),
    ...(doesNotHold && evidence !== undefined && run.subject === undefined
      ? { reproduce: curlLine(evidence, run.variableOf, show) }
      : {}),
    ...(doesNotHold ? { rerun: run.commandLine(`--only ${checksToRepeat(result)} --seed ${run.seed}`) } : {}),
    durationMs: result.durationMs,
    ...(result.attempts === undefined ? {} : { attempts: [...result.attempts] }),
    ...(result.requests === undefined ? {} : { requests: result.requests }),
    ...(result.tokens === undefined ? {} : { tokens: result.tokens }),
    exchanges,
  }
}

/** A fact without its secrets: keys are not shown at all, texts are redacted. */
function clean(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.text(value)
  return Array.isArray(value) ? value.map((item) => clean(item, redactor)) : value
}

/** What `--only` names to see a failure again: for an observer also the check that sent the request. */
function checksToRepeat({ id, seenIn }: CheckResult): string {
  return seenIn === undefined ? id : `${id},${seenIn}`
}
