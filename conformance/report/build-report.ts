// Builds the report of a run: everything that any form of it shows, redacted once, here.
import {
  CATALOGUE_VERSION,
  type requirements as catalogue,
  tierOf,
} from '../../spec/catalogue/requirements.ts'
import type { CheckSet } from '../contract/check-sets.ts'
import { type Baseline, isFailureExpected, noLongerOffered, reasonFor } from '../contract/baseline.ts'
import { shownAddress } from '../../harness/http/service-address.ts'
import type { Redactor } from '../../harness/secrets/redact.ts'
import { withFoundedReasons } from './named-judge.ts'
import type { CheckResult } from '../contract/result.ts'
import type { TargetFacts } from '../../harness/target-facts.ts'
import { coverage, exitCode, rollUp, stale, tierCounts, totals } from '../contract/verdict.ts'
import {
  EVIDENCE_CHARS,
  PASSED_CHARS,
  curlLine,
  showExchange,
  showHop,
  showUnanswered,
} from './show-exchange.ts'
import { evidenceOf } from './findings/causes.ts'
import { type Finding, findingsOf } from './findings/findings.ts'
import { REPORT_SCHEMA, type Report, type ReportCheck, type ReportFinding } from '../contract/report.ts'

/** The part of a run that differs for each subject. A subject leaves out the members that it does not have. */
export interface JudgedSubject {
  readonly target: TargetFacts & {
    /** The words that start the program, if a client is judged and was started by the judge. */
    readonly command?: readonly string[]
    facts(): readonly Report['target']['facts'][number][]
    capabilities?(): readonly Report['target']['capabilities'][number][]
  }
  readonly results: readonly CheckResult[]
  readonly requests: number
  readonly tokens?: Readonly<Report['tokens']>
  /** The run was aborted: checks that were not finished are inconclusive. */
  readonly interrupted: boolean
  /** The reason why requests were no longer sent, and whether it is that the target does not answer. */
  readonly endedEarly?: string
  readonly isUnreachable?: boolean
  readonly shortenedWaits?: Report['shortenedWaits']
  /** Capabilities that were required and are not offered. */
  readonly missingCapabilities?: readonly string[]
  /** Capabilities that were required and could not be probed. */
  readonly unknownCapabilities?: readonly string[]
  /** The set that `--catalogue` names. */
  readonly checkSet?: CheckSet | undefined
  /** Failures of the judge itself, such as a key that it could not revoke. */
  readonly faults?: readonly string[]
  /** Property cases per check. */
  readonly runs?: number
  /** Left out: until the report is built. */
  readonly durationMs?: number
  /** The environment variable that holds each given key. */
  readonly variableOf?: ReadonlyMap<string, string>
  /** The command that judges this target again, with these flags. */
  readonly commandLine: (flags: string) => string
}

export interface FinishedRun extends JudgedSubject {
  /** Left out for a server. */
  readonly subject?: Exclude<Report['subject'], undefined>
  readonly rows: typeof catalogue
  readonly covered: ReadonlySet<string>
  /** Whether every check of the profile was selected, or one for each of its rows. */
  readonly isWhole: boolean
  /** Left out without `--baseline`. */
  readonly baseline?: Baseline | undefined
  readonly allowIncomplete: boolean
  /** Whether an entry of the baseline that passes is only listed. */
  readonly allowStale?: boolean
  /** Whether checks that are no longer offered fail the run (`--strict`). */
  readonly strict?: boolean
  readonly seed: number
  readonly startedAt: Date
  readonly durationMs: number
  readonly redactor: Redactor
}

export function buildReport(run: FinishedRun): Report {
  const { target, redactor, checkSet, faults = [], interrupted } = run
  const all = withFoundedReasons(run.results)
  const scored = checkSet?.scored
  const results = scored === undefined ? all : all.filter(({ id }) => scored.has(id))
  const { missingCapabilities: missing = [], unknownCapabilities: unknown = [] } = run
  const { allowIncomplete, isUnreachable = false, endedEarly, shortenedWaits = [] } = run
  const { baseline, strict = false, allowStale = false } = run
  const listed = [...(baseline?.keys() ?? [])]
  const expected = new Set(results.filter((check) => isFailureExpected(baseline, check)).map(({ id }) => id))
  const withdrawn = noLongerOffered(results, baseline)
  const checks = results.map((result) => showCheck(result, run))
  const requirements = rollUp(results, target.profile)
  const tiers = tierCounts(requirements)
  const { applicable, judged, notCovered } = coverage(results, run.rows, run.covered, run.isWhole)
  return {
    schema: REPORT_SCHEMA,
    catalogueVersion: CATALOGUE_VERSION,
    ...showCatalogue(
      checkSet,
      all.filter((result) => !results.includes(result)),
      redactor,
    ),
    ...(run.subject === undefined ? {} : { subject: run.subject }),
    target: {
      ...(target.command === undefined ? {} : { command: target.command.map(redactor.text) }),
      baseUrl: redactor.text(shownAddress(target.baseUrl)),
      profile: target.profile,
      model: redactor.text(target.model),
      facts: target
        .facts()
        .map(({ name, value, learned }) => ({ name, value: clean(value, redactor), learned })),
      capabilities: [...(target.capabilities?.() ?? [])],
    },
    seed: run.seed,
    runs: run.runs ?? 1,
    startedAt: run.startedAt.toISOString(),
    durationMs: Math.round(run.durationMs),
    requests: run.requests,
    tokens: run.tokens ?? { prompt: 0, completion: 0 },
    ...(interrupted ? { interrupted } : {}),
    ...(endedEarly === undefined ? {} : { endedEarly: redactor.text(endedEarly) }),
    ...(shortenedWaits.length === 0
      ? {}
      : {
          shortenedWaits: shortenedWaits.map((wait) =>
            Object.assign({}, wait, { name: redactor.text(wait.name) }),
          ),
        }),
    exitCode: exitCode(results, {
      expected,
      notOffered: new Set(listed).difference(expected),
      withdrawn: strict ? withdrawn : [],
      allowIncomplete,
      allowStale,
      missing,
      unknown,
      faults,
      interrupted,
      isUnreachable,
    }),
    totals: totals(results),
    coverage: { applicable, judged, notCovered: [...notCovered] },
    ...(tiers === undefined ? {} : { tiers }),
    faults: [...faults],
    staleBaseline: [...stale(results, new Set(listed))],
    ...(baseline === undefined ? {} : { noLongerOffered: [...withdrawn] }),
    missingCapabilities: [...missing],
    ...(unknown.length === 0 ? {} : { unknownCapabilities: [...unknown] }),
    requirements: requirements.map(({ id, level, outcome }) => ({ id, level, tier: tierOf(id), outcome })),
    findings: findingsOf({ checks }).map(showFinding),
    checks,
  }
}

function showCatalogue(
  set: CheckSet | undefined,
  others: readonly CheckResult[],
  redactor: Redactor,
): Pick<Report, 'catalogue'> {
  if (set === undefined) return {}
  const notScored = others.map(({ id, requirement, outcome, reason }) => ({
    id,
    requirement,
    outcome,
    ...(reason === undefined ? {} : { reason: redactor.text(reason) }),
  }))
  return { catalogue: { version: set.date, leftOut: [], notScored } }
}

function showFinding({
  requirement,
  requirements,
  level,
  outcome,
  what,
  checks,
  example,
}: Finding): ReportFinding {
  const { expected, actual, reproduce, rerun } = example
  const others = checks.filter((check) => check !== example)
  const exchange = evidenceOf(example)
  return {
    requirement,
    requirements: [...requirements],
    level,
    outcome,
    what,
    count: checks.length,
    checks: [example, ...others].map(({ id }) => id),
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
    ...(reproduce === undefined ? {} : { reproduce }),
    ...(rerun === undefined ? {} : { rerun }),
    ...(exchange === undefined ? {} : { exchange }),
  }
}

function showCheck(result: CheckResult, run: FinishedRun): ReportCheck {
  const { redactor, variableOf = new Map() } = run
  const doesNotHold = result.mismatch !== undefined
  const maxBodyChars = doesNotHold ? EVIDENCE_CHARS : PASSED_CHARS
  const show = { redactor, maxBodyChars, isOfOthers: run.subject === 'client' }
  // A check that passed needs one example; a failure shows every exchange that was kept.
  const kept = doesNotHold || result.outcome === 'error' ? result.exchanges : result.exchanges.slice(-1)
  const exchanges = [
    ...kept.map((exchange) => showExchange(exchange, show)),
    ...(result.hops ?? []).map((hop) => showHop(hop, show)),
  ]
  if (result.unanswered !== undefined) exchanges.push(showUnanswered(result.unanswered, show))
  const evidence = result.unanswered ?? result.exchanges.at(-1)?.request
  const line =
    doesNotHold && evidence !== undefined && run.subject === undefined
      ? curlLine(evidence, variableOf, show)
      : undefined
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
    ...text('baseline', reasonFor(run.baseline, result)),
    ...(line === undefined ? {} : { reproduce: line }),
    ...(doesNotHold
      ? { rerun: redactor.text(run.commandLine(`--only ${checksToRepeat(result)} --seed ${run.seed}`)) }
      : {}),
    ...(doesNotHold ? text('place', result.place) : {}),
    ...(doesNotHold && result.attribution !== undefined ? { attribution: result.attribution } : {}),
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

/** The ids for `--only` that repeat a failure: for an observer also the check that sent the request. */
function checksToRepeat({ id, observedIn }: CheckResult): string {
  return observedIn === undefined ? id : `${id},${observedIn}`
}
