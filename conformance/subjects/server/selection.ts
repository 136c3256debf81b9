// Cases and observers as one list, and the part of it that a run is about.
import { CATALOGUE_VERSION, requirement } from '../../../spec/catalogue/requirements.ts'
import type { Case, Observer } from './case.ts'
import type { Profile } from '../../../harness/target-facts.ts'
import { rowsOf } from '../../contract/verdict.ts'
import { COSTS } from './costs.ts'

export interface CaseFile {
  readonly cases: readonly Case[]
  readonly observers?: readonly Observer[]
}

export interface Catalogue {
  readonly cases: readonly Case[]
  readonly observers: readonly Observer[]
}

/**
 * Collects the cases of these files. Throws if two ids are equal, a row does not judge a server, or a version of the
 * catalogue does not exist.
 */
export function collect(files: readonly CaseFile[]): Catalogue {
  const cases = files.flatMap((file) => file.cases)
  const observers = files.flatMap((file) => file.observers ?? [])
  const ids = new Set<string>()
  for (const check of [...cases, ...observers]) {
    if (!/^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$/.test(check.id))
      throw new Error(`${check.id} is not a valid check id`)
    if (ids.has(check.id)) throw new Error(`two checks have the id ${check.id}`)
    if (requirement(check.requirement).subject !== 'server')
      throw new Error(`${check.id}: ${check.requirement} does not judge a server`)
    if (check.since !== undefined && !(check.since > 1 && check.since <= Number(CATALOGUE_VERSION)))
      throw new Error(`${check.id}: there is no catalogue ${check.since} that it can have come with`)
    ids.add(check.id)
  }
  return { cases, observers }
}

/** The checks of a run: those that are reported, and cases that only cause traffic for observers. */
export interface Selection extends Catalogue {
  readonly traffic: readonly Case[]
}

export interface SelectOptions {
  readonly profile: Profile
  readonly only?: string | undefined
  /** One check for each requirement that is not optional. */
  readonly quick?: boolean | undefined
}

export function select(all: Catalogue, { profile, only, quick = false }: SelectOptions): Selection {
  const rows = new Set<string>(rowsOf(profile).map(({ id }) => id))
  const wanted = checkMatcher(only)
  const inProfile = all.cases.filter((check) => rows.has(check.requirement))
  const observers = all.observers.filter((check) => rows.has(check.requirement) && wanted(check))
  const cases = inProfile.filter(wanted)
  // With all the rest to look at, an observer judges its row at no cost.
  const observed = new Set(only === undefined ? observers.map(({ requirement }) => requirement) : [])
  // An optional row cannot fail a gate, and costs it no request unless it is selected.
  const due =
    only === undefined ? cases.filter((check) => requirement(check.requirement).level !== 'MAY') : cases
  const judged = quick ? quickCases(due, observed) : cases
  // An observer needs the exchanges of other rows only if its own row has no case that sends something.
  const isIdle = observers.some(
    (observer) => !cases.some(({ requirement }) => requirement === observer.requirement),
  )
  const traffic = isIdle && only !== undefined ? quickTraffic(inProfile) : []
  return { cases: judged, observers, traffic: traffic.filter((check) => !judged.includes(check)) }
}

/** One check of each requirement, then the others: an interrupted run has judged every requirement once. */
export function everyRowFirst<Check extends Pick<Case, 'requirement'>>(checks: readonly Check[]) {
  const rows = [...Map.groupBy(checks, (check) => check.requirement).values()]
  return [...rows.map(([first]) => first), ...rows.flatMap(([, ...others]) => others)].filter(
    (check) => check !== undefined,
  )
}

export function covered(all: Catalogue): ReadonlySet<string> {
  return new Set([...all.cases, ...all.observers].map((check) => check.requirement))
}

/** Matches checks by their id or their requirement; without a pattern, all of them. */
export function checkMatcher(
  pattern: string | undefined,
): (check: { readonly id: string; readonly requirement: string }) => boolean {
  if (pattern === undefined) return () => true
  const matches = globMatcher(pattern)
  return ({ id, requirement }) => matches(id) || matches(requirement)
}

/** Matches whole ids, in any case: `*` is any run of characters, `?` any one, a comma separates alternatives. */
export function globMatcher(pattern: string): (id: string) => boolean {
  const alternatives = pattern.split(',').map((glob) => {
    const source = glob
      .trim()
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')
    return new RegExp(`^${source}$`, 'i')
  })
  return (id) => alternatives.some((alternative) => alternative.test(id))
}

/** A check of the small traffic sends no more requests than this. */
const CHEAP_REQUESTS = 2

/**
 * The quick check of each row that these cases stand for: the one that the table names, else the first. None for a row
 * that is judged on every exchange and whose own checks are dear, as those that exhaust a limit.
 */
function quickCases(cases: readonly Case[], observed: ReadonlySet<string> = new Set()) {
  const isDear = (row: string): boolean => observed.has(row) && (COSTS[row]?.quickRequests ?? 0) > 1
  const rows = cases.filter(({ requirement }) => !isDear(requirement))
  return [...Map.groupBy(rows, ({ requirement }) => requirement)].flatMap(([row, own]) => {
    const chosen = own.find(({ id }) => id === COSTS[row]?.quick) ?? own[0]
    return chosen === undefined ? [] : [chosen]
  })
}

/** A small traffic that is always the same, of answers and refusals of every kind, for observers to watch. */
function quickTraffic(cases: readonly Case[]): readonly Case[] {
  return quickCases(cases).filter(({ exclusive, requirement }) => {
    const { quickRequests = 0, perRun = 0 } = COSTS[requirement] ?? {}
    // A property sends as many requests as it has cases.
    if (perRun > 0) return false
    return exclusive !== true && quickRequests > 0 && quickRequests <= CHEAP_REQUESTS
  })
}
