// Scenarios in which every request must be answered: smoke, streaming, rotation, soak.
import { UNEVEN } from './bound-assertions.ts'
import {
  type Assertion,
  allAdmitted,
  assertion,
  inForm,
  isAdmitted,
  milliseconds,
  notJudged,
  ofLoad,
  ofPhase,
  type LoadRun,
  statuses,
} from './judgement.ts'
import { evenLoad, planSeconds } from '../theory/load-plan.ts'
import { GENEROUS, type Scenario } from './load-scenario.ts'
import { busiestPossible } from '../theory/limiter-bounds.ts'
import { quantile } from '../theory/statistics.ts'

/** The requested duration of a stream, in milliseconds: long enough for many concurrent streams. */
const STREAM_MS = 300

/** The median latency at the end of a soak may be higher by this factor plus this number of milliseconds. */
const SLOWER = 1.5
const SLOWER_MS = 20

/** Parts of a rotation: the old key is revoked at the first, and tried again from the second. */
export const REVOKED_AT = 0.65
const REVOKED_FROM = 0.8

export const smoke: Scenario = {
  name: 'smoke',
  about: 'one request of each kind, a few times',
  unlimited: ['main'],
  defaults: () => ({ limit: GENEROUS, seconds: 3, rate: 1 }),
  loads: ({ seconds, rate }) => [{ ...evenLoad('smoke', rate, { seconds, role: 'main' }), requestsEach: 4 }],
  judge(run) {
    const asked = run.record.answers.filter(({ phase }) => phase !== 'no key')
    return {
      headline: allAdmitted(asked),
      shown: 'smoke',
      assertions: [
        statuses('answered', asked, [200]),
        statuses('no-key', ofPhase(run, 'no key'), [401]),
        inForm(run),
      ],
    }
  },
}

export const streaming: Scenario = {
  name: 'streaming',
  about: 'concurrent streams, each complete and well-formed',
  unlimited: ['main'],
  defaults: () => ({ limit: GENEROUS, seconds: 6, rate: 20 }),
  loads: ({ seconds, rate, delays }) => [
    {
      ...evenLoad('streams', rate, { seconds, role: 'main' }),
      stream: true,
      ...(delays ? { delayMs: STREAM_MS } : {}),
    },
  ],
  judge(run) {
    const { answers } = run.record
    return {
      headline: allAdmitted(answers),
      shown: 'streams',
      assertions: [statuses('answered', answers, [200]), inForm(run)],
      notes: [`Up to ${busiestPossible(answers, 0)} streams at the same time.`],
    }
  },
}

export const rotation: Scenario = {
  name: 'rotation',
  about: 'traffic moves to a new key, the old key is revoked, no request is lost',
  unlimited: ['old', 'new'],
  defaults: () => ({ limit: GENEROUS, seconds: 8, rate: 20 }),
  loads: ({ seconds, rate }) => [
    evenLoad('traffic', rate, { seconds, role: 'new' }),
    evenLoad('revoked', 5, {
      startSeconds: seconds * REVOKED_FROM,
      seconds: seconds * (1 - REVOKED_FROM),
      role: 'old',
    }),
  ],
  judge(run) {
    const traffic = ofLoad(run, 'traffic')
    const keys = new Set(traffic.filter(isAdmitted).map(({ role }) => role))
    return {
      headline: allAdmitted(traffic),
      shown: 'traffic',
      assertions: [
        statuses('nothing-lost', traffic, [200]),
        assertion('both-keys', keys.size === 2, 'traffic with both keys', [...keys].join(', ')),
        oldKeyRefused(run),
        inForm(run),
      ],
    }
  },
}

/** Judges only requests that were sent after the revocation. */
function oldKeyRefused(run: LoadRun): Assertion {
  const answers = ofLoad(run, 'revoked').filter(({ start }) => start > (run.revokedAt ?? 0))
  return answers.length === 0
    ? notJudged('old-key-refused', 'only 401', UNEVEN)
    : statuses('old-key-refused', answers, [401])
}

export const soak: Scenario = {
  name: 'soak',
  about: 'the same load for a long time, no slower at its end',
  unlimited: ['main'],
  defaults: () => ({ limit: GENEROUS, seconds: 600, rate: 20 }),
  loads: ({ seconds, rate }) => [evenLoad('soak', rate, { seconds, role: 'main' })],
  judge(run) {
    const { answers } = run.record
    return {
      headline: allAdmitted(answers),
      shown: 'soak',
      assertions: [statuses('answered', answers, [200]), inForm(run), asFastAsBefore(run)],
    }
  },
}

/** Asserts that the last quarter is about as fast as the first. */
function asFastAsBefore({ plan, record: { answers } }: LoadRun): Assertion {
  const expected = 'the last quarter about as fast as the first'
  const [first] = answers
  if (first === undefined) return notJudged('no-slower', expected, 'no answer came')
  const quarter = planSeconds(plan) / 4
  const middle = (from: number, to: number): number =>
    quantile(
      answers
        .filter(({ start }) => start >= first.start + from && start < first.start + to)
        .map(milliseconds),
      0.5,
    )
  const [before, after] = [middle(0, quarter), middle(3 * quarter, Number.POSITIVE_INFINITY)]
  return assertion(
    'no-slower',
    after <= before * SLOWER + SLOWER_MS,
    expected,
    `half within ${before.toFixed(0)} ms, then ${after.toFixed(0)} ms`,
  )
}
