// Judges whether `Retry-After` is true: a caller that waits for it plus a second must be admitted (LIMIT-3), and a
// caller that tries well before it must be refused, because the header must not be too long.
import {
  type Assertion,
  assertion,
  inForm,
  isAdmitted,
  isRefused,
  notJudged,
  ofPhase,
  type LoadRun,
  statuses,
} from './judgement.ts'
import { UNEVEN } from './bound-assertions.ts'
import type { LoadAnswer } from '../k6/k6-record.ts'
import type { Scenario } from './load-scenario.ts'

const CALLERS = ['waits', 'probes'] as const

/** The phase in which a caller sends requests until it is refused. */
const EXHAUSTS = 'exhausts'

/** The id of the assertion that each refusal has a `Retry-After`. */
export const RETRY_AFTER_ID = 'told'
const HAS_HEADER = 'each 429 has a Retry-After'

export const retryAfter: Scenario = {
  name: 'retry-after',
  about: 'wait what a refusal says and be admitted; ask before and be refused',
  limited: CALLERS,
  defaults: (limit = { requests: 4, windowSeconds: 3 }) => ({
    limit,
    seconds: 3 * limit.windowSeconds + 10,
  }),
  loads: ({ seconds }) =>
    CALLERS.map((name) => ({
      name,
      role: name,
      startSeconds: 0,
      seconds,
      arrivals: { kind: 'caller' },
    })),
  judge(run) {
    const { answers, retryAfter } = run.record
    const refused = answers.filter(isRefused).length
    // Only requests after the first refusal decide; those before it exhaust the limit.
    const waited = ofPhase(run, 'waited')
    const decisive = [...waited, ...ofPhase(run, 'early')]
    const limited = assertion('enforced', refused > 0, 'a 429 above the limit', `${refused} × 429`)
    return {
      headline: {
        offered: decisive.length,
        admitted: decisive.filter(isAdmitted).length,
        refused: decisive.filter(isRefused).length,
        lower: waited.length,
        upper: waited.length,
      },
      shown: 'waits',
      assertions: [
        statuses('statuses', answers, [200, 429]),
        inForm(run),
        limited,
        refused > 0
          ? assertion(
              RETRY_AFTER_ID,
              retryAfter.length === refused,
              HAS_HEADER,
              `${retryAfter.length} of ${refused} do`,
            )
          : notJudged(RETRY_AFTER_ID, HAS_HEADER, 'nothing is limited'),
        waitedAdmitted(run),
        earlyRefused(run),
      ],
      notes:
        retryAfter.length === 0
          ? []
          : [`Retry-After was ${rangeOf(retryAfter.map(({ seconds }) => seconds))}.`],
    }
  },
}

function waitedAdmitted(run: LoadRun): Assertion {
  const waited = ofPhase(run, 'waited')
  const expected = 'admitted after the wait and a second of tolerance'
  if (waited.length === 0) return notJudged('waited-admitted', expected, 'no refusal had a Retry-After')
  return assertion(
    'waited-admitted',
    waited.every(isAdmitted),
    expected,
    waited.map(({ status }) => `status ${status}`).join(', '),
  )
}

function earlyRefused(run: LoadRun): Assertion {
  const early = ofPhase(run, 'early')
  const expected = 'refused well before the wait is over'
  if (early.length === 0)
    return notJudged('early-refused', expected, 'no Retry-After was longer than a second')
  // A delayed caller may have sent its request after the wait was over.
  if (!early.every(isRefused) && !isSurelyEarly(run, early))
    return notJudged('early-refused', expected, UNEVEN)
  return assertion(
    'early-refused',
    early.every(isRefused),
    expected,
    early.map(({ status }) => `status ${status}`).join(', '),
  )
}

/** Whether all answers came before the wait was over, even if its whole seconds were rounded up by almost one. */
function isSurelyEarly({ record }: LoadRun, early: readonly LoadAnswer[]): boolean {
  const refusal = record.answers.find(
    (answer) => answer.load === 'probes' && answer.phase === EXHAUSTS && isRefused(answer),
  )
  const found = record.retryAfter.find(({ load, phase }) => load === 'probes' && phase === EXHAUSTS)
  if (refusal === undefined || found === undefined) return false
  return early.every(({ end }) => end <= refusal.start + found.seconds - 1)
}

function rangeOf(seconds: readonly number[]): string {
  const [least, most] = [Math.min(...seconds), Math.max(...seconds)]
  return least === most ? `${least} s` : `${least} to ${most} s`
}
