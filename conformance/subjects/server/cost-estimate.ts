// Estimates the cost of a run: requests and tokens by section, from the cost of each row on the reference server.
import type { Case } from './case.ts'
import { bySection } from '../../report/labels.ts'
import type { Selection } from './selection.ts'
import { COSTS, DISCOVERY, type RowCost } from './costs.ts'

const UNKNOWN: RowCost = { quick: [], requests: 2, perRun: 0, tokens: 64, tokensPerRun: 0 }

/** The assumed maximum of a request of a quick check, in tokens: none of them sends a long text. */
const QUICK_TOKENS = 32

type CostEstimate = Omit<ReturnType<typeof rowCost>, 'id'>

export function estimate(selection: Selection, runs: number) {
  const cases = [...selection.cases, ...selection.traffic]
  const rows = [...Map.groupBy(cases, ({ requirement }) => requirement)].map(([id, own]) =>
    rowCost(id, own, runs),
  )
  const sections = bySection(rows).map(({ name, rows: own }) => Object.assign({ name }, sum(own)))
  const discovery = { checks: 0, ...DISCOVERY }
  return { sections, discovery, total: sum([...sections, discovery]) }
}

function rowCost(id: string, own: readonly Case[], runs: number) {
  const cost = COSTS[id] ?? UNKNOWN
  const quick = cost.quick.filter((check) => own.some((one) => one.id === check.id))
  if (quick.length === own.length) {
    const sent = quick.reduce((sum, check) => sum + check.requests, 0)
    const tokens = Math.min(cost.tokens * own.length, sent * QUICK_TOKENS)
    return { id, checks: own.length, requests: sent, tokens: Math.ceil(tokens) }
  }
  return {
    id,
    checks: own.length,
    requests: Math.ceil((cost.requests + cost.perRun * (runs - 1)) * own.length),
    tokens: Math.ceil((cost.tokens + cost.tokensPerRun * (runs - 1)) * own.length),
  }
}

function sum(costs: readonly CostEstimate[]): CostEstimate {
  const total = (of: (cost: CostEstimate) => number): number => costs.reduce((all, cost) => all + of(cost), 0)
  return {
    checks: total((cost) => cost.checks),
    requests: total((cost) => cost.requests),
    tokens: total((cost) => cost.tokens),
  }
}
