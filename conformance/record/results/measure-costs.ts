// Measures what each row costs on the reference server, and chooses the checks by which a quick run judges it: the text of
// costs.json, a line for each row.
import type { Report, ReportCheck } from '../../contract/report.ts'
import { runConformance } from '../../run-conformance.ts'
import { isFailure } from './outcomes.ts'
import { failuresOf, recordedServers } from './quick-checks.ts'
import { loadServer } from '../../subjects/index.ts'

/** Cases of each property in a second run, which shows what one case costs. */
const MANY_RUNS = 11

/** The most requests of a quick check, and the least number of servers, for each of them, that a further one must find. */
const MOST_QUICK_REQUESTS = 4
const LEAST_CAUGHT = 2.5

/** Variants of a case that every quick run has: they end more services than anything else that is sent. */
const ALWAYS: ReadonlySet<string> = new Set(['chat.no-messages', 'chat.null-body'])

const server = await loadServer()
const { costs: known, discovery: knownDiscovery } = server
const cases = new Map(server.catalogue.cases.map((definition) => [definition.id, definition]))

type RowCost = (typeof known)[string]
type Checks = readonly ReportCheck[]
type Count = (check: ReportCheck) => number

const sent: Count = ({ requests = 0 }) => requests
const counted: Count = ({ tokens = 0 }) => tokens
const total = (checks: Checks, of: Count): number => checks.reduce((sum, check) => sum + of(check), 0)
const rounded = (value: number): number => Number(value.toPrecision(3))

/** The rows that cases judge and of which no cost is known. */
export function rowsWithoutCost(): readonly string[] {
  return [...new Set([...cases.values()].map(({ requirement }) => requirement))].filter((row) => !known[row])
}

/** Measures all rows, or those without a cost; the others keep theirs. */
export async function measureCosts(areAllNew: boolean): Promise<string> {
  const only = areAllNew ? {} : { only: rowsWithoutCost().join(',') }
  const once = await runConformance({ seed: 1, runs: 1, ...only })
  const often = await runConformance({ seed: 1, runs: MANY_RUNS, ...only })
  const quick = await runConformance({ seed: 1, quick: true, ...only })
  const sentInQuickRun = new Map(quick.checks.map((check) => [check.id, sent(check)]))
  const rows = Map.groupBy(
    once.checks.filter(({ id }) => cases.has(id)),
    ({ requirement }) => requirement,
  )
  const measured = [...rows].map(([row, own]) => [row, costOf(row, own, often, sentInQuickRun)] as const)
  const all = { ...(areAllNew ? {} : known), ...Object.fromEntries(measured) }
  const discovery = {
    requests: once.requests - total(once.checks, sent),
    tokens: (once.tokens?.prompt ?? 0) + (once.tokens?.completion ?? 0) - total(once.checks, counted),
  }
  const lines = Object.entries(all).map(([row, cost]) => `"${row}": ${JSON.stringify(cost)}`)
  return `{\n"discovery": ${JSON.stringify(areAllNew ? discovery : knownDiscovery)},\n"rows": {\n${lines.join(',\n')}\n}\n}\n`
}

function costOf(row: string, own: Checks, often: Report, inQuickRun: ReadonlyMap<string, number>): RowCost {
  const again = often.checks.filter(({ requirement, id }) => requirement === row && cases.has(id))
  const perRun = (of: Count): number =>
    rounded(Math.max(0, total(again, of) - total(own, of)) / own.length / (MANY_RUNS - 1))
  const brief = own.filter(({ id }) => cases.get(id)?.thorough !== true)
  const many = new Map(again.map((check) => [check.id, sent(check)]))
  // A property finds little with a single case.
  const isAffordable = (check: ReportCheck): boolean =>
    sent(check) <= MOST_QUICK_REQUESTS && many.get(check.id) === sent(check)
  return {
    // Several checks send less in a quick run, which has those that were chosen before.
    quick: quickChecks(row, brief, isAffordable).map(({ id, requests, caught }) => ({
      id,
      requests: inQuickRun.get(id) ?? requests,
      caught,
    })),
    requests: rounded(total(own, sent) / own.length),
    perRun: perRun(sent),
    tokens: rounded(total(own, counted) / own.length),
    tokensPerRun: perRun(counted),
  }
}

/** The checks by which a quick run judges a row: the cheapest ones that find the row broken on recorded servers. */
function quickChecks(
  row: string,
  own: Checks,
  isAffordable: (check: ReportCheck) => boolean,
): RowCost['quick'] {
  const entries = recordedServers()
  const judged = own.filter(({ outcome }) => outcome !== 'not-applicable')
  const before = known[row]?.quick[0]?.id
  // The first check changes only if that finds more, or saves requests.
  const price = (check: ReportCheck): number => sent(check) - (check.id === before ? 0.5 : 0)
  const caught = (check: ReportCheck): number => (isAffordable(check) ? failuresOf(check.id, entries) : 0)
  const [first] = (judged.length === 0 ? own : judged).toSorted(
    (a, b) => price(a) - caught(a) - (price(b) - caught(b)) || price(a) - price(b),
  )
  const isAlwaysQuick = ({ id }: ReportCheck): boolean =>
    ALWAYS.has(id) || cases.get(id)?.alwaysQuick === true
  const always = judged.filter((check) => isAlwaysQuick(check) && check.id !== first?.id)
  const quick = first === undefined ? [] : [first, ...always]
  // Further checks, while each of them finds the row broken on several other servers.
  for (;;) {
    const left = entries.filter(({ checks }) => !quick.some(({ id }) => isFailure(checks[id] ?? 'pass')))
    const [next] = judged
      .filter(isAffordable)
      .toSorted((a, b) => failuresOf(b.id, left) - failuresOf(a.id, left) || sent(a) - sent(b))
    if (next === undefined || failuresOf(next.id, left) < LEAST_CAUGHT * sent(next)) break
    quick.push(next)
  }
  return quick.map((check) => ({
    id: check.id,
    requests: sent(check),
    caught: failuresOf(check.id, entries),
  }))
}
