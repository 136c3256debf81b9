// Measures what each row costs on the reference server and writes costs.json (`npm run costs`).
import { writeFileSync } from 'node:fs'
import type { Report, ReportCheck } from '../contract/report.ts'
import { runConformance } from '../run-conformance.ts'
import { COSTS, type RowCost } from '../subjects/server/costs.ts'
import { fullCatalogue } from '../subjects/server/catalogue.ts'

/** Cases of each property in a second run, which shows what one case costs. */
const MANY_RUNS = 11

const measure = (runs: number): Promise<Report> => runConformance({ seed: 1, runs })
const once = await measure(1)
const often = await measure(MANY_RUNS)

const cases = new Map(fullCatalogue().cases.map((definition) => [definition.id, definition]))
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

const costs = [...rows].map(([row, own]): [string, RowCost] => {
  const judged = own.filter(({ outcome }) => outcome !== 'not-applicable')
  // The quick check changes only if that saves requests.
  const price = (check: ReportCheck): number => sent(check) - (check.id === COSTS[row]?.quick ? 0.5 : 0)
  const [quick] = (judged.length === 0 ? own : judged).toSorted((a, b) => price(a) - price(b))
  const again = often.checks.filter(({ requirement, id }) => requirement === row && cases.has(id))
  return [
    row,
    {
      quick: quick?.id ?? '',
      quickRequests: quick === undefined ? 0 : sent(quick),
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

const file = new URL('../subjects/server/costs.json', import.meta.url)
writeFileSync(file, `${JSON.stringify({ discovery, rows: Object.fromEntries(costs) }, undefined, 2)}\n`)
