// The verdict on simulated runs: each limiter receives the requests of a plan, without k6. Honest limiters pass, each
// fault turns its own assertion red, and an invalid run does not judge the service.
import { describe, expect, it } from 'vitest'
import { fc, forAll } from '../../spec/property.fixture.ts'
import {
  alignedWindow,
  anchoredWindow,
  type Limiter,
  slidingWindow,
  tokenBucket,
} from '../../fixtures/limiters/limiters.ts'
import type { LoadRun } from './judgement.ts'
import { fairness } from './fairness.ts'
import { breakpoint, kneeOf } from './limits-of-service.ts'
import { rateLimit } from './rate-limit.ts'
import { RETRY_AFTER_ID, retryAfter } from './retry-after.ts'
import { soak } from './steady.ts'
import { type Load, type LoadPlan, plannedRequests } from '../theory/load-plan.ts'
import type { LoadAnswer, LoadRecord } from '../k6/k6-record.ts'
import type { Scenario } from './load-scenario.ts'
import { exitCodeOf, verdictOf } from './load-verdict.ts'

const MACHINE = { k6: 'v2.2.0', cores: 2, processes: 1 }
const LIMIT = { requests: 3, windowSeconds: 1 }
const COUNTING = { limit: LIMIT, algorithm: 'any', burst: LIMIT.requests } as const

interface Service {
  readonly makeLimiter: () => Limiter
  readonly keyOf?: (role: string) => string
  /** Duration of an answer, in seconds. */
  readonly seconds?: (answer: { load: string; admitted: boolean; part: number }) => number
  /** Delay of a request behind the plan, in seconds. */
  readonly late?: (index: number) => number
}

function planOf(scenario: Scenario): LoadPlan {
  const loads = scenario.loads({
    rate: 0,
    maxRate: 0,
    ...scenario.defaults(LIMIT),
    limit: LIMIT,
    delays: true,
  })
  return {
    scenario: scenario.name,
    baseUrl: 'http://127.0.0.1:1',
    urls: { chat: 'http://127.0.0.1/v1/chat/completions', models: 'http://127.0.0.1/v1/models' },
    model: 'm',
    echoes: true,
    refusalForm: true,
    roles: [...(scenario.limited ?? []), ...(scenario.unlimited ?? [])],
    limit: LIMIT,
    loads,
    timeoutSeconds: 10,
  }
}

/** Start times of the requests of a load: even, and not at the start of a second. */
function arrivals(load: Load): number[] {
  const count = plannedRequests(load)
  const step = load.arrivals.kind === 'burst' ? 1e-4 : load.seconds / count
  return Array.from({ length: count }, (_, index) => load.startSeconds + 0.123 + index * step)
}

function recordOf(
  plan: LoadPlan,
  { makeLimiter, keyOf = (role) => role, seconds = () => 0.002, late = () => 0 }: Service,
): LoadRecord {
  const limiters = new Map<string, Limiter>()
  const asked = plan.loads
    .flatMap((load) => arrivals(load).map((start, index) => ({ load, start: start + late(index) })))
    .toSorted((a, b) => a.start - b.start)
  const answers = asked.map(({ load, start }): LoadAnswer => {
    const key = keyOf(load.role)
    const limiter = limiters.get(key) ?? makeLimiter()
    limiters.set(key, limiter)
    const { admitted } = limiter(start)
    const part = (start - load.startSeconds) / load.seconds
    const end = start + seconds({ load: load.name, admitted, part })
    return { load: load.name, role: load.role, phase: load.name, status: admitted ? 200 : 429, start, end }
  })
  return { answers, dropped: 0, faults: {}, retryAfter: [] }
}

function judge(
  scenario: Scenario,
  service: Service,
  change: (record: LoadRecord) => LoadRecord = (same) => same,
) {
  return judgeRecord(scenario, change(recordOf(planOf(scenario), service)))
}

function judgeRecord(scenario: Scenario, record: LoadRecord) {
  const run: LoadRun = { plan: planOf(scenario), counting: COUNTING, sloMs: 1000, record }
  const verdict = verdictOf(run, scenario.judge(run), MACHINE, true)
  const red = verdict.assertions.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)
  return { verdict, red, exit: exitCodeOf(verdict) }
}

const slowAnswers: Service['seconds'] = ({ load, admitted }) => (load === 'slow' && admitted ? 0.4 : 0.002)
const honest: readonly (readonly [string, () => Limiter])[] = [
  ['fixed windows by the clock', () => alignedWindow(LIMIT)],
  ['fixed windows from the first request', () => anchoredWindow(LIMIT)],
  ['a sliding window', () => slidingWindow(LIMIT)],
  ['a token bucket', () => tokenBucket(LIMIT)],
  ['a bucket of one token', () => tokenBucket(LIMIT, 1)],
]

describe('rate-limit', () => {
  it.each(honest)('passes %s', (_, makeLimiter) => {
    const { verdict, red, exit } = judge(rateLimit, { makeLimiter, seconds: slowAnswers })
    expect(red).toEqual([])
    expect(verdict).toMatchObject({ verdict: 'pass', valid: true, offered: 300, limit: LIMIT })
    expect(verdict.assertions.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
    expect(exit).toBe(0)
  })

  it('passes every honest limiter under any jitter', () => {
    const limiters: readonly (() => Limiter)[] = [
      ...honest.map(([, makeLimiter]) => makeLimiter),
      () => tokenBucket(LIMIT, 2),
    ]
    const parts = fc.double({ min: 0, max: 1, noNaN: true })
    forAll(
      fc.constantFrom(...limiters),
      fc.array(parts, { minLength: 1, maxLength: 60 }),
      parts.map((part) => part * 0.6),
      (makeLimiter, jitter, most) => {
        const late = (index: number): number => (jitter[index % jitter.length] ?? 0) * most
        const { red } = judge(rateLimit, { makeLimiter, seconds: slowAnswers, late })
        expect(red).toEqual([])
      },
    )
  })
})

const anchored = (requests = LIMIT.requests) => ({
  makeLimiter: () => anchoredWindow({ ...LIMIT, requests }),
  seconds: slowAnswers,
})
const admitsAll = { makeLimiter: (): Limiter => () => ({ admitted: true, retryAfterSeconds: 0 }) }

describe.each<readonly [scenario: Scenario, fault: string, assertion: string, service: Service]>([
  [rateLimit, 'a limiter that is off', 'enforced', { ...admitsAll, seconds: slowAnswers }],
  [rateLimit, 'one request too many', 'upper', anchored(4)],
  [rateLimit, 'one request too few', 'lower', anchored(2)],
  [
    rateLimit,
    'refusals that take as long as answers',
    'refusals-cheap',
    { ...anchored(), seconds: ({ load }) => (load === 'slow' ? 0.4 : 0.002) },
  ],
  [fairness, 'keys that share a limit', 'quiet-admitted', { ...anchored(), keyOf: () => '' }],
  [
    fairness,
    'a quiet key that waits',
    'quiet-served',
    { ...anchored(), seconds: ({ load }) => (load.startsWith('quiet') ? 1.5 : 0.002) },
  ],
  [
    soak,
    'a service that becomes slower',
    'no-slower',
    { ...admitsAll, seconds: ({ part }) => 0.01 + part / 5 },
  ],
])('$0.name', (scenario, fault, assertion, service) => {
  it(`finds ${fault}, and blames nothing else`, () => {
    expect(judge(scenario, service).red).toEqual([assertion])
  })
})

it.each([
  [fairness, anchored()],
  [soak, admitsAll],
])('$0.name passes without a fault', (scenario, service) => {
  expect(judge(scenario, service)).toMatchObject({ red: [], exit: 0 })
})

describe('retry-after', () => {
  const at = (load: string, phase: string, status: number, start: number): LoadAnswer => ({
    load,
    role: load,
    phase,
    status,
    start,
    end: start + 0.01,
  })
  const used = ['waits', 'probes'].map((load) => at(load, 'exhausts', 429, 0))
  const outcome = (answers: readonly LoadAnswer[], seconds: readonly number[]) => {
    const headers = seconds.map((seconds) => ({ load: 'probes', phase: 'exhausts', seconds }))
    const record = { answers: [...used, ...answers], dropped: 0, faults: {}, retryAfter: headers }
    const { verdict, red } = judgeRecord(retryAfter, record)
    return { word: verdict.verdict, red }
  }

  it('passes if waiting admits and an early request is refused', () => {
    const answers = [at('waits', 'waited', 200, 4), at('probes', 'early', 429, 1)]
    expect(outcome(answers, [3, 3, 2])).toEqual({ word: 'pass', red: [] })
  })

  it('finds a time that is too long, unless the caller itself was late', () => {
    const waited = at('waits', 'waited', 200, 7)
    expect(outcome([waited, at('probes', 'early', 200, 4)], [6, 6])).toEqual({
      word: 'fail',
      red: ['early-refused'],
    })
    expect(outcome([waited, at('probes', 'early', 200, 5.2)], [6, 6])).toEqual({ word: 'invalid', red: [] })
  })

  it('finds refusals without Retry-After', () => {
    expect(outcome([], [])).toEqual({ word: 'fail', red: [RETRY_AFTER_ID] })
  })
})

describe('an invalid run', () => {
  it.each<readonly [string, (record: LoadRecord) => LoadRecord]>([
    ['dropped a request', (record) => ({ ...record, dropped: 1 })],
    ['lost a load', (record) => ({ ...record, answers: record.answers.filter(({ load }) => load !== 'at') })],
    [
      'offered too little',
      (record) => ({ ...record, answers: record.answers.filter((_, at) => at % 10 > 0) }),
    ],
    ['recorded nothing', (record) => ({ ...record, answers: [] })],
  ])('does not judge the service: %s', (_, change) => {
    expect(judge(rateLimit, anchored(9), change)).toMatchObject({
      verdict: { verdict: 'invalid', valid: false },
      exit: 3,
    })
  })

  it('is a run with an uneven load', () => {
    const { exit } = judge(rateLimit, anchored(), (record) => ({
      ...record,
      answers: record.answers.map((answer) => ({ ...answer, start: Math.floor(answer.start / 3) * 3 })),
    }))
    expect(exit).toBe(3)
  })
})

it('finds the knee of a rising rate, and blames the service for requests dropped behind it', () => {
  const late: Service = { ...admitsAll, seconds: ({ part }) => (part > 0.5 ? 2 : 0.01) }
  const plan = planOf(breakpoint)
  const knee = kneeOf({ plan, record: recordOf(plan, late), sloMs: 1000 })
  expect(knee?.perSecond).toBeGreaterThan(440)
  expect(knee?.perSecond).toBeLessThan(540)
  expect(judge(breakpoint, late, (same) => ({ ...same, dropped: 50 })).exit).toBe(0)
  expect(judge(breakpoint, admitsAll, (same) => ({ ...same, dropped: 50 })).exit).toBe(3)
})
