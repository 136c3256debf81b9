// Estimates the cost of a run: requests and tokens by section, from the cost of each row on the reference server, and its
// duration.
import { bySection } from '../../report/labels.ts'
import type { Check } from '../../contract/check.ts'
import type { CaseHead, Selection } from './selection.ts'
import type { ExpectedCost } from '../../contract/run-events.ts'
import type { Plan } from '../../contract/target.ts'
import { expectedConcurrency } from './run/adaptive-concurrency.ts'
import { COSTS, DISCOVERY, type RowCost } from './costs.ts'

const UNKNOWN: RowCost = { quick: [], requests: 2, perRun: 0, tokens: 64, tokensPerRun: 0 }

/** The assumed maximum of a request of a quick check, in tokens: none of them sends a long text. */
const QUICK_TOKENS = 32

type CostEstimate = Omit<ReturnType<typeof rowCost>, 'id'>

export function estimate(selection: Selection<CaseHead, Check>, runs: number) {
  const cases = [...selection.cases, ...selection.traffic]
  const rows = [...Map.groupBy(cases, ({ requirement }) => requirement)].map(([id, own]) =>
    rowCost(id, own, runs),
  )
  // An observer is a check that sends nothing.
  rows.push(...selection.observers.map(({ requirement: id }) => ({ id, checks: 1, requests: 0, tokens: 0 })))
  const sections = bySection(rows).map(({ name, rows: own }) => Object.assign({ name }, sum(own)))
  // A few checks discover a part of the facts: they need fewer requests.
  const share = Math.min(1, cases.length / DISCOVERY.requests)
  const discovery = {
    checks: 0,
    requests: Math.ceil(DISCOVERY.requests * share),
    tokens: Math.ceil(DISCOVERY.tokens * share),
  }
  return { sections, discovery, total: sum([...sections, discovery]) }
}

/** The cost of these checks of a row: measured for its quick checks, and the mean of the row for each other one. */
function rowCost(id: string, own: readonly CaseHead[], runs: number) {
  const cost = COSTS[id] ?? UNKNOWN
  const requests = cost.requests + cost.perRun * (runs - 1)
  const tokens = cost.tokens + cost.tokensPerRun * (runs - 1)
  const known = runs > 1 ? [] : cost.quick.filter((check) => own.some((one) => one.id === check.id))
  const others = own.length - known.length
  const sent = known.reduce((total, check) => total + check.requests, 0)
  const tokensOfKnown = Math.min(tokens * known.length, sent * QUICK_TOKENS)
  return {
    id,
    checks: own.length,
    requests: Math.ceil(sent + requests * others),
    tokens: Math.ceil(tokensOfKnown + tokens * others),
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

/** The mean length of the answers of a slow model, in tokens: measured, refusals included. */
const MEAN_TOKENS = 8

interface Speed {
  /** The shortest latency so far, in milliseconds. */
  readonly latencyMs: number
  readonly plan: Plan
  readonly requestsPerSecond: number
  readonly concurrency: number | undefined
}

/**
 * The shortest and the longest likely duration, in seconds: the target answers at once whatever the model writes and however
 * many requests are in flight, or each answer takes the time of its tokens. The longest of a fast model is that of a target
 * which answers one request at a time.
 */
export function durationOf(
  requests: number,
  { latencyMs, plan, requestsPerSecond, concurrency }: Speed,
): NonNullable<ExpectedCost['seconds']> {
  const { pace } = plan
  const together = concurrency ?? plan.concurrency ?? expectedConcurrency(latencyMs)
  const tokensMs = pace === undefined ? 0 : MEAN_TOKENS * pace.tokenMs
  const seconds = (answerMs: number, inFlight: number): number =>
    requests / Math.min(requestsPerSecond, (1000 * inFlight) / answerMs)
  return {
    least: seconds(latencyMs, together),
    most: seconds(latencyMs + tokensMs, pace === undefined ? 1 : together),
  }
}
