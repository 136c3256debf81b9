// Scenarios that exceed the capacity of a service: spike and breakpoint.
import type { LoadAnswer } from '../k6/k6-record.ts'
import {
  allAdmitted,
  countStatuses,
  inForm,
  isAdmitted,
  milliseconds,
  notJudged,
  ofLoad,
  type LoadRun,
  statuses,
} from './judgement.ts'
import { evenLoad, type Load, planSeconds } from '../theory/load-plan.ts'
import { GENEROUS, type Scenario } from './load-scenario.ts'
import { quantile } from '../theory/statistics.ts'

/** The start and the length of the spike, as parts of the run, and the time to recover, in seconds. */
const SPIKE_FROM = 0.3
const SPIKE_PART = 0.25
const RECOVERY_SECONDS = 1.5

/** A second in which more than this part of the answers fails breaks the service level objective. */
const ERRORS_ALLOWED = 0.01

/** The number of bad seconds in a row that make a knee; a single one may be chance. */
const SECONDS_OF_KNEE = 2

export const spike: Scenario = {
  name: 'spike',
  about: 'a short peak of load: refused with a well-formed error, then recovered',
  unlimited: ['main'],
  // One slot and a short queue, because the small model is fast.
  server: { LLAMA_SLOTS: '1', LLAMA_QUEUE: '2' },
  model: 'svc-0.1-tiny',
  defaults: () => ({ limit: GENEROUS, seconds: 8, rate: 2, maxRate: 60 }),
  loads: ({ seconds, rate, maxRate }) => [
    evenLoad('base', rate, { seconds, role: 'main' }),
    evenLoad('spike', maxRate, {
      startSeconds: seconds * SPIKE_FROM,
      seconds: seconds * SPIKE_PART,
      role: 'main',
    }),
  ],
  judge(run) {
    const spikes = ofLoad(run, 'spike')
    const base = ofLoad(run, 'base')
    const over = spikes.reduce((latest, { end }) => Math.max(latest, end), 0) + RECOVERY_SECONDS
    const after = base.filter(({ start }) => start > over)
    const { answers } = run.record
    const all = allAdmitted(answers)
    return {
      headline: { ...all, refused: answers.filter(({ status }) => status !== 200).length, lower: 0 },
      shown: 'spike',
      assertions: [
        statuses('refused-in-form', answers, [200, 429, 503]),
        inForm(run),
        after.length === 0
          ? notJudged('recovered', 'only 200 after the spike', 'the spike lasted to the end')
          : statuses('recovered', after, [200]),
      ],
      notes: [`During the spike: ${countStatuses(spikes)}.`],
    }
  },
}

export const breakpoint: Scenario = {
  name: 'breakpoint',
  about: 'a rising rate: finds the knee, where answers become late or fail',
  unlimited: ['main'],
  defaults: () => ({ limit: GENEROUS, seconds: 30, rate: 5, maxRate: 1000 }),
  loads: ({ seconds, rate, maxRate }) => [
    {
      name: 'ramp',
      role: 'main',
      startSeconds: 0,
      seconds,
      arrivals: { kind: 'ramp', fromPerSecond: rate, toPerSecond: maxRate },
    },
  ],
  judge(run) {
    const { answers } = run.record
    const knee = kneeOf(run)
    const [load] = run.plan.loads
    const highest = load === undefined ? 0 : rateAt(load, planSeconds(run.plan))
    return {
      headline: { ...allAdmitted(answers), lower: 0 },
      shown: 'ramp',
      assertions: [
        statuses(
          'answered',
          knee === undefined ? answers : answers.filter(({ start }) => start < knee.time),
          [200],
        ),
        inForm(run),
      ],
      // Drops behind the knee are expected, because late answers occupy all callers of k6.
      dropsAreTheService: knee !== undefined,
      notes: [
        knee === undefined
          ? `No knee up to ${highest.toFixed(0)} requests per second.`
          : `The knee is at ${knee.perSecond.toFixed(0)} requests per second: above it the 95th percentile exceeds ${run.sloMs} ms, or more than 1 in 100 requests fails.`,
      ],
    }
  },
}

interface Knee {
  /** Unix time, in seconds. */
  readonly time: number
  readonly perSecond: number
}

/** The first of `SECONDS_OF_KNEE` bad seconds in a row. */
export function kneeOf({
  plan,
  record: { answers },
  sloMs,
}: Pick<LoadRun, 'plan' | 'record' | 'sloMs'>): Knee | undefined {
  const [first] = answers
  const [load] = plan.loads
  if (first === undefined || load === undefined) return undefined
  const seconds = Map.groupBy(answers, ({ start }) => Math.floor(start - first.start))
  let broken = 0
  for (let second = 0; second < planSeconds(plan); second++) {
    broken = keepsObjective(seconds.get(second) ?? [], sloMs) ? 0 : broken + 1
    if (broken < SECONDS_OF_KNEE) continue
    const from = second - SECONDS_OF_KNEE + 1
    return { time: first.start + from, perSecond: rateAt(load, from) }
  }
  return undefined
}

function keepsObjective(answers: readonly LoadAnswer[], sloMs: number): boolean {
  if (answers.length === 0) return true
  const failed = answers.filter((answer) => !isAdmitted(answer)).length
  return failed <= answers.length * ERRORS_ALLOWED && quantile(answers.map(milliseconds), 0.95) <= sloMs
}

function rateAt({ arrivals, seconds }: Load, second: number): number {
  if (arrivals.kind !== 'ramp') return 0
  const part = Math.min(1, second / seconds)
  return arrivals.fromPerSecond + part * (arrivals.toPerSecond - arrivals.fromPerSecond)
}
