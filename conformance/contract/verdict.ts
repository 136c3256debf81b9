// From checks to a verdict: the outcome of each requirement, the coverage, and the exit code.
import {
  type RequirementId,
  levelIn,
  requirements,
  rowIn,
  tierOf,
} from '../../spec/catalogue/requirements.ts'
import type { Level, Tier } from '../../spec/catalogue/section.ts'
import { type Outcome, worst } from './outcome.ts'
import type { Profile } from '../../harness/target-facts.ts'

/** The members of a check that decide the verdict. */
export interface Judgement {
  readonly id: string
  readonly requirement: RequirementId
  readonly level: Level
  readonly outcome: Outcome
}

/** The members of a check that decide the exit code. */
type Ended = Pick<Judgement, 'id' | 'level' | 'outcome'>

export interface RequirementVerdict extends Pick<Judgement, 'level' | 'outcome'> {
  readonly id: RequirementId
}

/** The rows for a server in this profile, in reading order, with their level in it. */
export function rowsOf(profile: Profile): typeof requirements {
  return requirements
    .filter(({ subject, profiles }) => subject === 'server' && profiles.includes(profile))
    .map((row) => rowIn(profile, row))
}

/** The outcome of each checked requirement: that of its worst check. Its level is that in the profile. */
export function rollUp(
  checks: readonly Judgement[],
  profile: Profile = 'service',
): readonly RequirementVerdict[] {
  return requirements.flatMap((row) => {
    const { id } = row
    const own = checks.filter((check) => check.requirement === id)
    const level = levelIn(profile, row)
    return own.length === 0 ? [] : [{ id, level, outcome: worst(own.map(({ outcome }) => outcome)) }]
  })
}

/** The judged rows of a tier, and those of them that hold. */
export type TierCounts = Readonly<Record<Tier, { readonly judged: number; readonly hold: number }>>

/**
 * Counts the rows of each tier: of level MUST or SHOULD, since a MAY is only reported. A row that failed or warned does
 * not hold. Undefined if no row has a tier.
 */
export function tierCounts(
  rows: readonly (Pick<Judgement, 'level' | 'outcome'> & { readonly id: string })[],
): TierCounts | undefined {
  const tiered = rows.filter(({ id }) => tierOf(id) !== undefined)
  if (tiered.length === 0) return undefined
  const count = (tier: Tier): TierCounts[Tier] => {
    const judged = tiered.filter(
      ({ id, level, outcome }) => tierOf(id) === tier && level !== 'MAY' && JUDGED.has(outcome),
    )
    return { judged: judged.length, hold: judged.filter(({ outcome }) => outcome === 'pass').length }
  }
  return { interop: count('interop'), strict: count('strict') }
}

export function totals(checks: readonly Judgement[]): Record<Outcome, number> {
  const count = (wanted: Outcome): number => checks.filter(({ outcome }) => outcome === wanted).length
  return {
    pass: count('pass'),
    fail: count('fail'),
    warn: count('warn'),
    'not-applicable': count('not-applicable'),
    inconclusive: count('inconclusive'),
    error: count('error'),
  }
}

/**
 * How many of the applicable MUST rows were judged. Rows that no check stands for count as applicable if the run is
 * whole. `covered` are the requirements that some case or observer stands for.
 */
export function coverage(
  checks: readonly Judgement[],
  rows: typeof requirements,
  covered: ReadonlySet<string>,
  isWhole: boolean,
) {
  const outcomes = new Map(rollUp(checks).map(({ id, outcome }) => [id, outcome]))
  const musts = rows.filter(({ level }) => level === 'MUST')
  const applicable = musts.filter(({ id }) =>
    outcomes.has(id) ? outcomes.get(id) !== 'not-applicable' : isWhole,
  )
  const judged = applicable.filter(({ id }) => JUDGED.has(outcomes.get(id) ?? 'not-applicable'))
  const notCovered = rows.filter(({ id }) => !covered.has(id))
  return {
    /** MUST rows that were selected and apply to the target; in a whole run also those without a case. */
    applicable: applicable.length,
    /** Those of them that passed, warned or failed. */
    judged: judged.length,
    /** Rows of any level that no case stands for. */
    notCovered: notCovered.map(({ id }) => id),
  }
}

/** 0: holds; 1: does not; 2: no verdict; 3: incomplete. */
export type ExitCode = 0 | 1 | 2 | 3

export interface VerdictOptions {
  /** Ids of checks whose failure is expected. */
  readonly expected: ReadonlySet<string>
  /** Ids of checks that are expected not to apply. */
  readonly notOffered?: ReadonlySet<string>
  readonly allowIncomplete: boolean
  /** An entry of the baseline that passes does not fail the run. */
  readonly allowStale?: boolean
  /** Ids of checks that are no longer offered; empty without `--strict`. */
  readonly withdrawn?: readonly string[]
  /** Capabilities that were required and are not offered. */
  readonly missing: readonly string[]
  /** Capabilities that were required and could not be asked about. */
  readonly unknown: readonly string[]
  /** Failures of the judge itself: then there is no verdict. */
  readonly faults?: readonly string[]
  /** The run was ended early: then it has not shown that everything holds. */
  readonly interrupted?: boolean
  /** The target stopped answering: unless something failed before, there is no verdict. */
  readonly isUnreachable?: boolean
}

/** The ids of checks of the baseline that pass. */
export function stale<Each extends Ended>(
  checks: readonly Each[],
  expected: ReadonlySet<string>,
): readonly string[] {
  return checks.filter(({ id, outcome }) => expected.has(id) && outcome === 'pass').map(({ id }) => id)
}

/** The exit code of several runs: that of the worst, in the order 2, 1, 3, 0. */
export function worstExitCode(codes: readonly number[]): number {
  return [2, 1, 3].find((code) => codes.includes(code)) ?? 0
}

const JUDGED: ReadonlySet<Outcome> = new Set(['pass', 'warn', 'fail'])

/** Returns whether some applicable MUST was judged; if no MUST applies, any check. */
function isJudged(checks: readonly Ended[]): boolean {
  const musts = checks.filter(({ level, outcome }) => level === 'MUST' && outcome !== 'not-applicable')
  return (musts.length > 0 ? musts : checks).some(({ outcome }) => JUDGED.has(outcome))
}

/**
 * The exit code of a run: 2 before 1 before 3. Without a check there is no verdict; a run in which nothing was judged is
 * never green.
 */
export function exitCode(checks: readonly Ended[], options: VerdictOptions): ExitCode {
  const ended = (outcome: Outcome): readonly Ended[] => checks.filter((check) => check.outcome === outcome)
  const listed = options.expected.union(options.notOffered ?? new Set<string>())
  if (options.faults?.length || checks.length === 0 || ended('error').length > 0) return 2
  if (ended('fail').some(({ id }) => !options.expected.has(id))) return 1
  if (options.allowStale !== true && stale(checks, listed).length > 0) return 1
  if (options.withdrawn?.length || options.missing.length > 0) return 1
  if (options.isUnreachable) return 2
  if (!isJudged(checks)) return 3
  const isOpen = options.unknown.length > 0 || ended('inconclusive').some(({ level }) => level === 'MUST')
  return options.interrupted || (isOpen && !options.allowIncomplete) ? 3 : 0
}
