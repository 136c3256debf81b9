// Cases and observers as one list, and the part of it that a run is about.
import { levelIn, requirement } from '../../../spec/catalogue/requirements.ts'
import type { Level } from '../../../spec/catalogue/section.ts'
import { type Check, validated } from '../../contract/check.ts'
import { DEFAULT_RUNS } from '../../contract/settings.ts'
import type { Profile } from '../../../harness/target-facts.ts'
import type { Observer } from '../../contract/observer.ts'
import { selector } from '../../contract/selection.ts'
import type { SelectOptions } from '../../contract/subject.ts'
import { rowsOf } from '../../contract/verdict.ts'
import type { Case } from './case.ts'
import { COSTS, type QuickCheck } from './costs.ts'

export interface CaseFile {
  readonly cases: readonly Case[]
  readonly observers?: readonly Observer[]
}

/** A case without its function, as a list has it. */
export type CaseHead = Check & Pick<Case, 'exclusive' | 'thorough' | 'alwaysQuick'>

export interface Catalogue<Cases extends CaseHead = Case, Observers extends Check = Observer> {
  readonly cases: readonly Cases[]
  readonly observers: readonly Observers[]
}

/** Collects the cases of these files. Throws as `validated` does. */
export function collect(files: readonly CaseFile[]): Catalogue {
  const cases = files.flatMap((file) => file.cases)
  const observers = files.flatMap((file) => file.observers ?? [])
  validated([...cases, ...observers], 'server')
  return { cases, observers }
}

/** The checks of a run: those that are reported, and cases that only cause traffic for observers. */
export interface Selection<
  Cases extends CaseHead = Case,
  Observers extends Check = Observer,
> extends Catalogue<Cases, Observers> {
  readonly traffic: readonly Cases[]
  /** Observers that are reported if they fail: a request that ends the service does so whatever is selected. */
  readonly unasked?: readonly Observers[]
}

export function select<Cases extends CaseHead, Observers extends Check>(
  all: Catalogue<Cases, Observers>,
  { profile, only, tier, quick = false }: SelectOptions,
): Selection<Cases, Observers> {
  const rows = rowsOf(profile)
  const wanted = selector({ rows, only, tier })
  const inProfile = all.cases.filter(selector({ rows }))
  const observers = all.observers.filter(wanted)
  const cases = inProfile.filter(wanted)
  // With all the rest to look at, an observer judges its row at no cost.
  const observed = new Set(only === undefined ? observers.map(({ requirement }) => requirement) : [])
  // An optional row cannot fail a gate, and costs it no request unless it is selected.
  const due =
    only === undefined
      ? cases.filter((check) => levelIn(profile, requirement(check.requirement)) !== 'MAY')
      : cases
  const judged = quick ? quickCases(due, observed) : cases
  // An observer needs the exchanges of other rows only if its own row has no case that sends something.
  const isIdle = observers.some(
    (observer) => !judged.some(({ requirement }) => requirement === observer.requirement),
  )
  const traffic = isIdle && only !== undefined ? quickTraffic(inProfile) : []
  const unasked = all.observers
    .filter(selector({ rows }))
    .filter((observer) => 'includesBroken' in observer && !observers.includes(observer))
  return { cases: judged, observers, traffic: traffic.filter((check) => !judged.includes(check)), unasked }
}

/** One check of each requirement, then the others: an interrupted run has judged every requirement once. */
export function everyRowFirst<Check extends Pick<Case, 'requirement'>>(checks: readonly Check[]) {
  const rows = [...Map.groupBy(checks, (check) => check.requirement).values()]
  return [...rows.map(([first]) => first), ...rows.flatMap(([, ...others]) => others)].filter(
    (check) => check !== undefined,
  )
}

/** The checks that wait for seconds, then the others, which run meanwhile. */
export const waitingFirst = (checks: readonly Case[]): readonly Case[] =>
  checks.toSorted((a, b) => Number(b.waits ?? false) - Number(a.waits ?? false))

const LEVELS: readonly Level[] = ['MUST', 'SHOULD', 'MAY']

/** A check of a row whose checks send more requests than this, on average, is dear. */
const BRIEF_REQUESTS = 8

/**
 * The order of a run whose time is limited: MUST before SHOULD before MAY, one check of each row before its others; after all of
 * these the checks that send many requests, the dearest last.
 */
export function importantFirst(checks: readonly Case[], profile: Profile): readonly Case[] {
  const costOf = ({ requirement: row }: Case): number => {
    const { requests = 0, perRun = 0 } = COSTS[row] ?? {}
    return requests + DEFAULT_RUNS * perRun
  }
  const isDear = (check: Case): boolean => {
    if (check.thorough === true) return true
    const isQuick = COSTS[check.requirement]?.quick.some(({ id }) => id === check.id) === true
    return !isQuick && costOf(check) > BRIEF_REQUESTS
  }
  const ordered = (own: readonly Case[]): readonly Case[] =>
    LEVELS.flatMap((level) =>
      everyRowFirst(own.filter((check) => levelIn(profile, requirement(check.requirement)) === level)),
    )
  const dear = checks.filter(isDear).toSorted((a, b) => costOf(a) - costOf(b))
  return [...ordered(checks.filter((check) => !isDear(check))), ...ordered(dear)]
}

/** The rows that some check judges. */
export function covered({ cases, observers }: Catalogue<CaseHead, Check>): ReadonlySet<string> {
  return new Set([...cases, ...observers].map(({ requirement }) => requirement))
}

/** A check of the small traffic sends no more requests than this. */
const CHEAP_REQUESTS = 2

/**
 * The quick checks of each row that these cases stand for: those of the table, else the first. None for a row that is
 * judged on every exchange and whose own checks are dear, as those that exhaust a limit, unless the record shows that
 * they find something that a row demands.
 */
function quickCases<Cases extends CaseHead>(
  cases: readonly Cases[],
  observed: ReadonlySet<string> = new Set(),
) {
  const brief = cases.filter(({ thorough }) => thorough !== true)
  return [...Map.groupBy(brief, ({ requirement }) => requirement)].flatMap(([row, own]) => {
    const quick = COSTS[row]?.quick ?? []
    const always = own.filter(({ alwaysQuick }) => alwaysQuick === true)
    const named = own.filter((check) => quick.some(({ id }) => id === check.id))
    if (named.length === 0) return always.length === 0 ? own.slice(0, 1) : always
    const isMust = requirement(row).level === 'MUST'
    const isDue = ({ caught, requests }: QuickCheck): boolean =>
      !observed.has(row) || requests <= 1 || (isMust && caught > 0)
    const due = ({ id }: Cases): boolean => quick.some((check) => check.id === id && isDue(check))
    return own.filter((check) => always.includes(check) || due(check))
  })
}

/** A small traffic that is always the same, of answers and refusals of every kind, for observers to watch. */
function quickTraffic<Cases extends CaseHead>(cases: readonly Cases[]): readonly Cases[] {
  const rows = Map.groupBy(quickCases(cases), ({ requirement }) => requirement)
  const ofEachRow = [...rows.values()].flatMap((own) => own.slice(0, 1))
  return ofEachRow.filter(({ exclusive, requirement, id }) => {
    const { quick = [], perRun = 0 } = COSTS[requirement] ?? {}
    const { requests = 0 } = quick.find((check) => check.id === id) ?? quick[0] ?? {}
    // A property sends as many requests as it has cases.
    if (perRun > 0) return false
    return exclusive !== true && requests > 0 && requests <= CHEAP_REQUESTS
  })
}
