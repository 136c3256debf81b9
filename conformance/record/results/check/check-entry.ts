// Checks one entry, whose schema holds: its content against the catalogue, its causes and the clock.
import { isRequirementId } from '../../../../spec/catalogue/requirements.ts'
import type { Level } from '../../../../spec/catalogue/section.ts'
import { listed } from '../../../report/labels.ts'
import { PUBLISHED } from '../../../contract/check-sets.ts'
import { checksOf } from '../check-index.ts'
import { failuresIn, isFailure, isOutcomeOf } from '../outcomes.ts'
import type { Entry, Implementation } from '../result-entry.ts'
import { NO_CAUSE } from '../keep-causes.ts'
import { entryKey } from '../public-record.ts'

/** A problem in a file: its place, the received value, and the expected one. */
export interface Problem {
  readonly place: string
  readonly received: string
  readonly expected: string
}

export interface FileProblem extends Problem {
  readonly file: string
}

export function inFile(file: string, problems: readonly Problem[]): readonly FileProblem[] {
  return problems.map((problem) => Object.assign({ file }, problem))
}

export function problem(place: string, received: string, expected: string): Problem {
  return { place, received, expected }
}

/** One problem that names these checks, if there are some. */
function problemOf(checks: readonly string[], describe: (named: string) => Problem): readonly Problem[] {
  return checks.length === 0 ? [] : [describe(listed(checks))]
}

export function checkEntry(entry: Entry, now: Date): readonly Problem[] {
  return [
    ...checkDate('date', entry.date, now),
    ...checkOutcomes(entry),
    ...Object.keys(entry.evidence ?? {})
      .filter((id) => !isFailure(entry.checks[id] ?? 'pass'))
      .map((id) => problem(`evidence.${id}`, 'evidence', 'a check that failed')),
  ]
}

/** The outcome of a check that does not hold, by its level. */
const NOT_HOLDING: Readonly<Record<Level, string>> = {
  MUST: '"fail" for a MUST that does not hold',
  SHOULD: '"warn" for a SHOULD that does not hold',
  MAY: '"not-applicable" for a MAY that does not hold',
}

/** Every published check of a complete run has an outcome, and each outcome is one that its level allows. */
export function checkOutcomes(entry: Entry): readonly Problem[] {
  const { catalogue, kind, profile, checks } = entry
  const all = checksOf(entry)
  if (all === undefined) {
    const received = `catalogue ${catalogue}, kind ${kind}, profile ${profile}`
    return [
      problem('catalogue', received, 'a catalogue that exists, and a profile by which that kind is judged'),
    ]
  }
  const these = `of catalogue ${catalogue} for a ${kind} by profile ${profile}`
  const missing = [...all.keys()].filter((id) => checks[id] === undefined && PUBLISHED.has(id))
  const unknown = Object.keys(checks).filter((id) => !all.has(id))
  return [
    ...problemOf(missing, (ids) =>
      problem('checks', `no outcome of ${ids}`, `every published check ${these}`),
    ),
    ...problemOf(unknown, (ids) => problem('checks', ids, `only checks ${these}`)),
    ...[...all.values()].flatMap(({ id, level }) => {
      const outcome = checks[id]
      if (outcome === undefined || isOutcomeOf(level, outcome)) return []
      return [problem(`checks.${id}`, `"${outcome}"`, NOT_HOLDING[level])]
    }),
  ]
}

export function checkCauses(entry: Entry, implementation: Implementation): readonly Problem[] {
  const key = entryKey(entry)
  const causes = implementation.failed[key] ?? {}
  const failed = failuresIn(entry)
  const without = failed.filter((id) => causes[id] === undefined)
  const surplus = Object.keys(causes).filter((id) => entry.checks[id] !== undefined && !failed.includes(id))
  const causesOf = (received: string, expected: string) => problem(`failed.${key}`, received, expected)
  return [
    ...problemOf(without, (ids) =>
      causesOf(`no cause of ${ids}`, 'a cause of each check that failed or warned'),
    ),
    ...problemOf(surplus, (ids) =>
      causesOf(`a cause of ${ids}`, 'causes only of checks that failed or warned'),
    ),
  ]
}

/**
 * The problems of `causes.json` itself. `keys` are those of the entries beside it; before the first entry there are causes
 * alone, from an older run.
 */
export function checkImplementation(
  { causes, failed, earlier = [], replies = [] }: Implementation,
  keys: readonly string[],
  now: Date,
): readonly Problem[] {
  const used = new Set(Object.values(failed).flatMap((each) => Object.values(each)))
  const unused = Object.keys(causes).filter((name) => !used.has(name))
  return [
    ...unused.map((name) =>
      problem(`causes.${name}`, 'a cause of no check', 'a cause that a failed check names'),
    ),
    ...Object.entries(failed).flatMap(([key, each]) =>
      keys.includes(key) || keys.length === 0
        ? Object.entries(each).flatMap(([check, name]) => checkName(`failed.${key}.${check}`, name, causes))
        : [problem(`failed.${key}`, 'causes of no entry', `an entry ${key}.json beside it`)],
    ),
    ...earlier.flatMap(({ date, outcomes }, at) => [
      ...checkDate(`earlier.${at}.date`, date, now),
      ...Object.entries(outcomes).flatMap(([outcome, ids]) =>
        ids
          .split(' ')
          .filter((id) => !isRequirementId(id))
          .map((id) => problem(`earlier.${at}.outcomes.${outcome}`, id, 'rows of the catalogue')),
      ),
    ]),
    ...replies.flatMap(({ date }, at) => checkDate(`replies.${at}.date`, date, now)),
  ]
}

function checkName(place: string, name: string, causes: Implementation['causes']): readonly Problem[] {
  if (Object.hasOwn(causes, name)) return []
  const received = name === NO_CAUSE ? 'no cause yet' : `"${name}"`
  return [problem(place, received, 'the name of one of the causes of this file')]
}

export function checkDate(place: string, date: string, now: Date): readonly Problem[] {
  const time = Date.parse(`${date}T00:00:00Z`)
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(date)
  if (!isDay) return [problem(place, `"${date}"`, 'a day of the calendar')]
  return time <= now.getTime() ? [] : [problem(place, `"${date}"`, 'a day that is not in the future')]
}
