// The code that all k6 scenarios share: the loads as scenarios of k6, and one question with its answer. k6 records every
// answer with its load and key; faults of an answer are counted under `faults`.
import http, { type RefinedResponse } from 'k6/http'
import { Counter, Trend } from 'k6/metrics'
import exec from 'k6/execution'
import type { Options, Scenario } from 'k6/options'
import type { Load, LoadPlan } from '../theory/load-plan.ts'

/** Passed by the launcher, as JSON. */
export const plan: LoadPlan = JSON.parse(__ENV['LOADTEST_PLAN'] ?? '{}')
const keys = (__ENV['LOADTEST_KEYS'] ?? '').split(',')

const faults = new Counter('faults')
const retryAfter = new Trend('retry_after_seconds')

/** Callers for each request per second; with fewer, a slow service would slow down the load. */
const CALLERS_PER_RATE = 2
const MOST_CALLERS = 400

http.setResponseCallback(http.expectedStatuses(200, 401, 429, 503))

/** The options of k6: one k6 scenario for each load, run by the exported function `exec`. */
export function optionsOf(exec: string): Options {
  return {
    scenarios: Object.fromEntries(plan.loads.map((load) => [load.name, scenarioOf(load, exec)])),
    // Thresholds are for runs of k6 without the launcher, which judges the records itself.
    thresholds: { faults: ['count==0'], http_req_failed: ['rate==0'], dropped_iterations: ['count==0'] },
    // k6 does not retry a request on a connection that the server has closed while idle. So each request has its own
    // connection, except in a ramp, in which no caller is idle.
    noConnectionReuse: plan.loads.every(({ arrivals }) => arrivals.kind !== 'ramp'),
    systemTags: ['scenario', 'status', 'error_code'],
    summaryTrendStats: ['min', 'med', 'p(95)', 'p(99)', 'max'],
  }
}

function scenarioOf(load: Load, exec: string): Scenario {
  const common = { exec, startTime: `${load.startSeconds}s`, gracefulStop: `${plan.timeoutSeconds}s` }
  const duration = `${load.seconds}s`
  const { arrivals } = load
  switch (arrivals.kind) {
    case 'constant':
      return {
        ...common,
        executor: 'constant-arrival-rate',
        // A rate of k6 is an integer: a long time unit allows slow rates.
        rate: Math.max(1, Math.round(arrivals.perSecond * 1000)),
        timeUnit: '1000s',
        duration,
        preAllocatedVUs: callers(arrivals.perSecond),
      }
    case 'ramp':
      return {
        ...common,
        executor: 'ramping-arrival-rate',
        startRate: arrivals.fromPerSecond,
        timeUnit: '1s',
        stages: [{ target: arrivals.toPerSecond, duration }],
        preAllocatedVUs: callers(arrivals.toPerSecond),
      }
    case 'burst':
    case 'caller': {
      const vus = arrivals.kind === 'burst' ? arrivals.requests : 1
      return { ...common, executor: 'per-vu-iterations', vus, iterations: 1, maxDuration: duration }
    }
  }
}

function callers(perSecond: number): number {
  return Math.min(MOST_CALLERS, 5 + Math.ceil(perSecond * CALLERS_PER_RATE))
}

/** The load that this iteration belongs to. */
export function currentLoad(): Load {
  const load = plan.loads.find(({ name }) => name === exec.scenario.name)
  if (load === undefined) throw new Error(`the plan has no load '${exec.scenario.name}'`)
  return load
}

/** The progress of the run, from 0 to 1. */
export function progress({ seconds }: Load): number {
  return (Date.now() - exec.scenario.startTime) / 1000 / seconds
}

interface Question {
  readonly load: Load
  /** Default: the load's. */
  readonly role?: string
  /** Marks the request among those of its load. */
  readonly phase?: string
}

/** Sends one unique question, and checks the answer against it. */
export function ask({ load, role = load.role, phase = load.name }: Question): RefinedResponse<'text'> {
  const question = `load ${exec.vu.idInTest} ${exec.vu.iterationInInstance} ${Math.random()}`
  const order = load.delayMs === undefined ? '' : `#fault delay=${load.delayMs}\n`
  const answer = http.post(
    plan.urls.chat,
    JSON.stringify({
      model: plan.model,
      messages: [{ role: 'user', content: order + question }],
      ...(load.stream === true ? { stream: true } : {}),
    }),
    paramsOf(role, phase, { ...bearer(role), 'Content-Type': 'application/json' }),
  )
  judge(answer, load, phase, question)
  return answer
}

/** A request for the list of models. */
export function listModels(load: Load, phase: string, authorized = true): RefinedResponse<'text'> {
  return http.get(plan.urls.models, paramsOf(load.role, phase, authorized ? bearer(load.role) : {}))
}

function bearer(role: string): Record<string, string> {
  const key = keys[plan.roles.indexOf(role)] ?? ''
  return plan.authHeader === undefined ? { Authorization: `Bearer ${key}` } : { [plan.authHeader]: key }
}

function paramsOf(role: string, phase: string, headers: Record<string, string>) {
  const timeout = `${plan.timeoutSeconds}s`
  return { headers, tags: { role, phase }, timeout, responseType: 'text' as const }
}

function judge(answer: RefinedResponse<'text'>, load: Load, phase: string, question: string): void {
  if (answer.status === 429) {
    const seconds = retryAfterOf(answer)
    if (seconds !== undefined) retryAfter.add(seconds, { phase })
    if (plan.refusalForm && !isRefusal(answer, seconds)) faults.add(1, { what: 'refusal' })
    return
  }
  if (answer.status === 503 && plan.refusalForm && parse(answer.body)?.error?.type !== 'service_unavailable')
    faults.add(1, { what: 'refusal' })
  if (answer.status !== 200) return
  const content = load.stream === true ? streamedContent(answer.body) : plainContent(answer.body)
  if (content === undefined) faults.add(1, { what: 'form' })
  else if (plan.echoes && content !== question) faults.add(1, { what: 'answer' })
}

/** The value of `Retry-After` if it is a positive number of seconds. */
export function retryAfterOf(answer: RefinedResponse<'text'>): number | undefined {
  const name = Object.keys(answer.headers).find((candidate) => candidate.toLowerCase() === 'retry-after')
  const seconds = Number((name === undefined ? undefined : answer.headers[name]) ?? '')
  return seconds > 0 && Number.isFinite(seconds) ? seconds : undefined
}

function isRefusal(answer: RefinedResponse<'text'>, seconds: number | undefined): boolean {
  const error = parse(answer.body)?.error
  return (
    seconds !== undefined &&
    error?.type === 'rate_limit_error' &&
    error?.code === 'rate_limit_exceeded' &&
    typeof error?.message === 'string'
  )
}

function plainContent(body: string): string | undefined {
  const content = parse(body)?.choices?.[0]?.message?.content
  return typeof content === 'string' ? content : undefined
}

/** The text of a complete stream: all records parse, one of them ends the choice, and `[DONE]` is the last. */
function streamedContent(body: string): string | undefined {
  const records = body.split('\n\n').filter((record) => record.trim() !== '' && !record.startsWith(':'))
  if (!body.endsWith('\n\n') || records.pop() !== 'data: [DONE]') return undefined
  let content = ''
  let ends = 0
  for (const record of records) {
    const chunk = parse(record.replace(/^data: /, ''))
    if (!record.startsWith('data: ') || chunk === undefined) return undefined
    const choice = chunk.choices?.[0]
    content += choice?.delta?.content ?? ''
    if (choice?.finish_reason) ends += 1
  }
  return ends === 1 ? content : undefined
}

/** The members of an answer that are read here; each may have any type. */
interface AnswerBody {
  readonly error?: { readonly type?: unknown; readonly code?: unknown; readonly message?: unknown }
  readonly choices?: readonly {
    readonly message?: { readonly content?: unknown }
    readonly delta?: { readonly content?: string | null }
    readonly finish_reason?: unknown
  }[]
}

function parse(body: string): AnswerBody | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
