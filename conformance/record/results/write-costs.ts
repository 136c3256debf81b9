// Measures what each row costs on the reference server and writes costs.json (`npm run costs`).
import { writeFileSync } from 'node:fs'
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

/** Checks of every quick run: what they send ends more services than anything else. */
const ALWAYS: ReadonlySet<string> = new Set(['chat.no-messages', 'chat.null-body'])

const { catalogue, costs: known } = await loadServer()
type RowCost = (typeof known)[string]
const measure = (runs: number): Promise<Report> => runConformance({ seed: 1, runs })
const once = await measure(1)
const often = await measure(MANY_RUNS)

const cases = new Map(catalogue.cases.map((definition) => [definition.id, definition]))
const rows = Map.groupBy(
  once.checks.filter(({ id }) => cases.has(id)),
  ({ requirement }) => requirement,
)
const sent = ({ requests = 0 }: ReportCheck): number => requests
const counted = ({ tokens = 0 }: ReportCheck): number => tokens
const total = (checks: readonly ReportCheck[], of: (check: ReportCheck) => number): number =>
  checks.reduce((sum, check) => sum + of(check), 0)
type Checks = readonly ReportCheck[]
const perRun = (again: Checks, own: Checks, of: (check: ReportCheck) => number): number =>
  rounded(Math.max(0, total(again, of) - total(own, of)) / own.length / (MANY_RUNS - 1))
const rounded = (value: number): number => Number(value.toPrecision(3))

const entries = recordedServers()
const many = new Map(often.checks.map((check) => [check.id, sent(check)]))
/** The checks that a quick run can afford. A property finds little with a single case. */
const affordable = (check: ReportCheck): boolean =>
  sent(check) <= MOST_QUICK_REQUESTS && many.get(check.id) === sent(check)

const quickChecks = (row: string, own: Checks): RowCost['quick'] => {
  const judged = own.filter(({ outcome }) => outcome !== 'not-applicable')
  const before = known[row]?.quick[0]?.id
  // The first check changes only if that finds more, or saves requests.
  const price = (check: ReportCheck): number => sent(check) - (check.id === before ? 0.5 : 0)
  const caught = (check: ReportCheck): number => (affordable(check) ? failuresOf(check.id, entries) : 0)
  const [first] = (judged.length === 0 ? own : judged).toSorted(
    (a, b) => price(a) - caught(a) - (price(b) - caught(b)) || price(a) - price(b),
  )
  const always = judged.filter(({ id }) => ALWAYS.has(id) && id !== first?.id)
  const quick = first === undefined ? [] : [first, ...always]
  // Further checks, while each of them finds the row broken on several other servers.
  for (;;) {
    const left = entries.filter(({ checks }) => !quick.some(({ id }) => isFailure(checks[id] ?? 'pass')))
    const [next] = judged
      .filter(affordable)
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

const costs = [...rows].map(([row, own]): [string, RowCost] => {
  const again = often.checks.filter(({ requirement, id }) => requirement === row && cases.has(id))
  return [
    row,
    {
      quick: quickChecks(
        row,
        own.filter(({ id }) => cases.get(id)?.thorough !== true),
      ),
      requests: rounded(total(own, sent) / own.length),
      perRun: perRun(again, own, sent),
      tokens: rounded(total(own, counted) / own.length),
      tokensPerRun: perRun(again, own, counted),
    },
  ]
})
const discovery = {
  requests: once.requests - total(once.checks, sent),
  tokens: (once.tokens?.prompt ?? 0) + (once.tokens?.completion ?? 0) - total(once.checks, counted),
}

const file = new URL('../../subjects/server/costs.json', import.meta.url)
writeFileSync(file, `${JSON.stringify({ discovery, rows: Object.fromEntries(costs) }, undefined, 2)}\n`)
