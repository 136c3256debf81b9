// The findings of a report: checks that fail, warn or have no verdict, grouped by cause, the worst first.
import { requirements, tierOf } from '../../../spec/catalogue/requirements.ts'
import { worst } from '../../contract/outcome.ts'
import type { Report, ReportCheck } from '../../contract/report.ts'
import { type Cause, causesAmong, evidenceOf, statedCauseOf } from './causes.ts'
import { describe } from './describe.ts'
import { KINDS, kindOf, statusDue, statusIn } from './kinds.ts'
import { normalForm, receivedForm } from './normal-form.ts'

/** Checks that one change of the service is likely to fix. */
export interface Finding {
  /** The row that names the finding, and all its rows: this one first, then the others that fail. */
  readonly requirement: string
  readonly requirements: readonly string[]
  readonly level: ReportCheck['level']
  readonly outcome: ReportCheck['outcome']
  /** The behaviour of the service, in one line. */
  readonly what: string
  /** The check that shows the finding. */
  readonly example: ReportCheck
  /** All of its checks; those without a verdict because of the others come last. */
  readonly checks: readonly ReportCheck[]
}

/** Checks with one cause; the cause is undefined if it concerns their row alone. */
interface Group {
  readonly cause: Cause | undefined
  readonly checks: readonly ReportCheck[]
}

/**
 * The findings of a report, the worst first. Each check that failed, warned, ended in an error of the suite or has no
 * verdict is in exactly one of them, whatever the order of the checks. Checks are in one finding if
 *
 * 1. they have the same first difference: the same row, outcome and side at fault, and the same expected and received
 *    value in normal form (`normalForm`; of an answer with a wrong status, the statuses alone);
 * 2. or they judge the same row by the same answer, as a check and an observer do;
 * 3. or they show the same cause (`causesAmong`), in any row;
 * 4. or their groups by the first rule have one and the same stated cause (`statedCauseOf`), in any row;
 * 5. or they have no verdict because of a row that fails (`…, which CHAT-1 judges`): they join its worst finding.
 *
 * Failures come before warnings, and warnings before checks without a verdict; then the number of rows of tier `interop`,
 * whether requests break, the level, the number of checks that do not hold and the kind (`KINDS`) decide.
 */
export function findingsOf({ checks }: Pick<Report, 'checks'>): readonly Finding[] {
  const open = checks.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'not-applicable')
  const groups = byStatedCause(bySameAnswer(byFirstDifference(open, checks)))
    .map(rated)
    .toSorted(worstFirst)
  const joined = Map.groupBy(groups, (group) => groupThatJudges(group, groups) ?? group)
  return [...joined]
    .map(([main, parts]) =>
      withChecks(
        main,
        parts.flatMap(({ checks: own }) => own),
      ),
    )
    .toSorted(worstFirst)
    .map(findingOf)
}

function byFirstDifference(checks: readonly ReportCheck[], all: readonly ReportCheck[]): readonly Group[] {
  const causeOf = causesAmong(all)
  const seen = checks.map((check) => ({ check, cause: causeOf(check) }))
  const groups = Map.groupBy(
    seen,
    ({ check, cause }) => `${check.attribution} ${cause?.key ?? differenceOf(check)}`,
  )
  return [...groups.values()].map((own) => ({ cause: own[0]?.cause, checks: own.map(({ check }) => check) }))
}

function differenceOf(check: ReportCheck): string {
  const { requirement, outcome, expected = '', actual = '' } = check
  const [due, got] = [statusDue(check) ?? normalForm(expected), statusIn(check)]
  return [requirement, outcome, due, got ?? receivedForm(actual)].join('\n')
}

/** Joins a check with the observer of its row, if the failing answer of both is the same and they have no other cause. */
function bySameAnswer(groups: readonly Group[]): readonly Group[] {
  const joined: { readonly group: Group; readonly answers: Set<string>; readonly observed: Set<string> }[] =
    []
  for (const group of groups) {
    const checks = group.cause === undefined ? group.checks : []
    let all = {
      group,
      answers: new Set(checks.flatMap(answerOf)),
      observed: new Set(checks.filter(({ id }) => id.includes('.every-')).flatMap(answerOf)),
    }
    const isSame = ({ answers, observed }: typeof all): boolean =>
      !observed.isDisjointFrom(all.answers) || !answers.isDisjointFrom(all.observed)
    for (const other of joined.filter(isSame)) {
      joined.splice(joined.indexOf(other), 1)
      all = {
        group: { cause: undefined, checks: [...other.group.checks, ...all.group.checks] },
        answers: other.answers.union(all.answers),
        observed: other.observed.union(all.observed),
      }
    }
    joined.push(all)
  }
  return joined.map(({ group }) => group)
}

/** The answer that shows the failure of a check, with its row; none if no answer came. */
function answerOf(check: ReportCheck): readonly string[] {
  const { requirement, outcome, attribution } = check
  const { request, response } = evidenceOf(check) ?? {}
  return (response ?? null) === null
    ? []
    : [JSON.stringify([requirement, outcome, attribution, request, response])]
}

/** Joins groups of different rows whose checks all have the same stated cause. */
function byStatedCause(groups: readonly Group[]): readonly Group[] {
  const keyOf = ({ cause, checks }: Group): unknown => {
    const [first, ...others] = cause === undefined ? checks.map(statedCauseOf) : []
    const isShared = first !== undefined && others.every((other) => other?.key === first.key)
    return isShared ? `${checks[0]?.attribution} ${first.key}` : checks
  }
  return [...Map.groupBy(groups, keyOf).values()].map((own) => {
    const checks = own.flatMap((group) => group.checks)
    const [first] = checks
    // The failures of a single row describe the fault better than the stated cause.
    const stated = own.length === 1 || first === undefined ? undefined : statedCauseOf(first)
    return { cause: own[0]?.cause ?? stated, checks }
  })
}

/** A group with the values by which it is sorted. Its example is a failure of the first row that fails, a MUST if there is one. */
function rated({ cause, checks }: Group) {
  const outcome = worst(checks.map((check) => check.outcome))
  const failed = checks.filter((check) => check.outcome === outcome).toSorted(inReadingOrder)
  const example = failed.find(({ requirement }) => requirement === cause?.row) ?? failed[0]
  if (example === undefined) throw new RangeError('a group has no checks')
  const { requirement: row, level } = example
  const kinds = new Set(failed.filter(({ requirement }) => requirement === row).map(kindOf))
  const worstKind = KINDS.find(({ name }) => kinds.has(name))?.name ?? 'differs'
  return { cause, checks, outcome, example, row, level, kind: cause?.kind ?? worstKind }
}

type Rated = ReturnType<typeof rated>

const withChecks = (group: Rated, checks: readonly ReportCheck[]): Rated => ({ ...group, checks })

/** The place of each outcome in the list of findings; those of the suite itself come last. */
const WEIGHTS = { fail: 0, warn: 1, inconclusive: 2, error: 3, pass: 4, 'not-applicable': 4 } as const
const LEVELS = ['MUST', 'SHOULD', 'MAY'] as const
const READING_ORDER = new Map<string, number>(requirements.map(({ id }, place) => [id, place]))

function placeOf(row: string): number {
  return READING_ORDER.get(row) ?? READING_ORDER.size
}

function inReadingOrder(one: ReportCheck, other: ReportCheck): number {
  const levels = LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level)
  return levels === 0 ? placeOf(one.requirement) - placeOf(other.requirement) : levels
}

function worstFirst(one: Rated, other: Rated): number {
  const ranks = ({ outcome, kind, level, checks, row }: Rated): readonly number[] => [
    WEIGHTS[outcome],
    -interopRows(checks, outcome),
    Number(kind !== 'breaks'),
    LEVELS.indexOf(level),
    -checks.filter((check) => check.outcome === outcome).length,
    KINDS.findIndex(({ name }) => name === kind),
    placeOf(row),
  ]
  const others = ranks(other)
  return (
    ranks(one)
      .map((rank, index) => rank - (others[index] ?? 0))
      .find((difference) => difference !== 0) ?? 0
  )
}

/** The number of rows of tier `interop` in which these checks have this outcome: users of the service meet these rows. */
function interopRows(checks: readonly ReportCheck[], outcome: ReportCheck['outcome']): number {
  const own = checks.filter((check) => check.outcome === outcome).map(({ requirement }) => requirement)
  return new Set(own.filter((row) => tierOf(row) === 'interop')).size
}

/** The worst group with a failure of the row that leaves these checks without a verdict; undefined if there is none. */
function groupThatJudges({ outcome, example }: Rated, groups: readonly Rated[]): Rated | undefined {
  if (outcome !== 'inconclusive') return undefined
  const [, row] = /\bwhich ([A-Z]+-\d+)\b.* judges?$/.exec(example.reason ?? '') ?? []
  return groups.find(
    (other) =>
      (other.outcome === 'fail' || other.outcome === 'warn') &&
      other.checks.some((check) => check.requirement === row && check.outcome === other.outcome),
  )
}

function findingOf(group: Rated): Finding {
  const { row, level, outcome, example, checks } = group
  const isOther = (check: ReportCheck): number => Number(check.outcome !== outcome)
  const ordered = checks.toSorted((one, other) => isOther(one) - isOther(other) || inReadingOrder(one, other))
  const requirements = [...new Set([row, ...ordered.map(({ requirement }) => requirement)])]
  return { requirement: row, requirements, level, outcome, what: describe(group), example, checks }
}
