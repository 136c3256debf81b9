// One check for each requirement, the cheapest: what a quick run judges, and what observers look at where `--only`
// leaves nothing else to look at.
import type { Case } from '../runner/case.ts'
import { COSTS } from './costs.ts'

/** A check of the small traffic sends no more requests than this. */
const CHEAP_REQUESTS = 2

/**
 * The quick check of each row that these cases stand for: the one that the table names, else the first. None for a row
 * that is judged on every exchange and whose own checks are dear, as those that exhaust a limit.
 */
export function quickCases(cases: readonly Case[], observed: ReadonlySet<string> = new Set()) {
  const isDear = (row: string): boolean => observed.has(row) && (COSTS[row]?.quickRequests ?? 0) > 1
  const rows = cases.filter(({ requirement }) => !isDear(requirement))
  return [...Map.groupBy(rows, ({ requirement }) => requirement)].flatMap(([row, own]) => {
    const chosen = own.find(({ id }) => id === COSTS[row]?.quick) ?? own[0]
    return chosen === undefined ? [] : [chosen]
  })
}

/** A small traffic that is always the same, of answers and refusals of every kind, for observers to watch. */
export function quickTraffic(cases: readonly Case[]): readonly Case[] {
  return quickCases(cases).filter(({ exclusive, requirement }) => {
    const { quickRequests = 0, perRun = 0 } = COSTS[requirement] ?? {}
    // A property sends as many requests as it has cases.
    if (perRun > 0) return false
    return exclusive !== true && quickRequests > 0 && quickRequests <= CHEAP_REQUESTS
  })
}
