// How exactly a limit is kept: one key each below, at and far above it, one asked by many at the same time, and one
// whose answers take their time, so that a refusal that costs as much as an answer shows.
import { enforced, findsOneTooFew, headlineOf, spared, withinLower, withinUpper } from '../theory/bounds.ts'
import {
  type Assertion,
  assertion,
  inForm,
  isAdmitted,
  isRefused,
  milliseconds,
  notJudged,
  ofLoad,
  quantile,
  type Run,
  statuses,
} from './judgement.ts'
import { farAbove, rateOf, type Scenario } from './scenario.ts'
import { busiestPossible, detectable, extent, mostAdmitted } from '../theory/theory.ts'

/** Requests at the same time, at most. */
const MOST_AT_ONCE = 100

/** What a slow answer should take; and the least at which something can be said, in milliseconds. */
const SLOW_MS = 400
const SLOW_ENOUGH_MS = 100

export const rateLimit: Scenario = {
  name: 'rate-limit',
  about: 'below, at and far above the limit, against two-sided bounds',
  limited: ['below', 'at', 'above', 'burst', 'slow'],
  unlimited: [],
  defaults: (limit = { requests: 3, windowSeconds: 1 }) => ({
    limit,
    // Enough windows for an error of one to show, where that does not take forever.
    seconds: Math.max(10, Math.min(60, (2 * limit.requests + 3) * limit.windowSeconds)),
    rate: 0,
    maxRate: 0,
  }),
  loads({ limit, seconds, delays }) {
    const rate = rateOf(limit)
    const constant = (name: string, perSecond: number) => ({
      name,
      role: name,
      startSeconds: 0,
      seconds,
      arrivals: { kind: 'constant', perSecond } as const,
    })
    return [
      constant('below', rate / 2),
      constant('at', rate),
      constant('above', farAbove(limit)),
      {
        ...constant('burst', 0),
        startSeconds: 1,
        seconds: Math.max(1, seconds - 1),
        arrivals: { kind: 'burst', requests: Math.min(MOST_AT_ONCE, Math.max(10, 5 * limit.requests)) },
      },
      { ...constant('slow', Math.min(4 * rate, farAbove(limit))), ...(delays ? { delayMs: SLOW_MS } : {}) },
    ]
  },
  judge(run) {
    const { counting, record } = run
    const above = ofLoad(run, 'above')
    const limited = enforced(above)
    const headline = headlineOf(counting, above)
    const error = detectable(counting, extent(above))
    const held = [withinUpper('upper', counting, above), lower(run), atOnce(run), refusalsAreCheap(run)]
    return {
      headline,
      shown: 'above',
      assertions: [
        statuses('statuses', record.answers, [200, 429]),
        inForm(run),
        limited,
        ...held.map((one) =>
          limited.outcome === 'pass' ? one : notJudged(one.id, one.expected, 'nothing is limited'),
        ),
        spared('below', counting, [ofLoad(run, 'below')]),
      ],
      notes: [
        error === 1
          ? 'One request too many in every window would show.'
          : error === Number.POSITIVE_INFINITY
            ? 'The run is shorter than a window: only a burst above its bound would show.'
            : `Only an error of ${error} requests or more in every window would show: a longer run, or --algorithm, shows less.`,
        ...(findsOneTooFew(counting, above)
          ? []
          : [
              'One request too few in every window may not show: a longer run, or a quieter machine, shows it.',
            ]),
      ],
    }
  },
}

/**
 * No less than the bound far above the limit; and at the limit itself chance may put one request too many into a window,
 * and no more, where the limiter has room for two at all.
 */
function lower(run: Run): Assertion {
  const { counting } = run
  const far = withinLower('lower', counting, ofLoad(run, 'above'))
  const answers = ofLoad(run, 'at')
  const most = Math.ceil(extent(answers) / counting.limit.windowSeconds) + 1
  const refused = answers.filter(isRefused).length
  const isEven = busiestPossible(answers, counting.limit.windowSeconds) <= counting.limit.requests + 1
  // Half of what comes evenly, each a moment early, is refused by a limiter of one token.
  const hasRoom = Math.min(counting.burst, counting.limit.requests) >= 2 && !isOneByOne(run) && isEven
  if (far.outcome === 'not judged' || !hasRoom) return far
  return assertion(
    'lower',
    far.outcome === 'pass' && refused <= most,
    `${far.expected}, and at the limit at most ${most} refused`,
    `${far.actual}, and ${refused} of ${answers.length}`,
  )
}

/** No more at the same time than one token and what comes meanwhile: a leaky bucket, which is as exact as others. */
function isOneByOne(run: Run): boolean {
  const answers = ofLoad(run, 'burst')
  const oneToken = { limit: run.counting.limit, algorithm: 'token-bucket', burst: 1 } as const
  return answers.filter(isAdmitted).length <= mostAdmitted(oneToken, extent(answers))
}

/** Requests that race each other pass no limit. */
function atOnce({ counting, ...run }: Run): Assertion {
  const answers = ofLoad({ counting, ...run }, 'burst')
  const most = mostAdmitted(counting, extent(answers))
  const admitted = answers.filter(isAdmitted).length
  return assertion(
    'at-once',
    admitted <= most,
    `at most ${most} of ${answers.length} at the same time`,
    String(admitted),
  )
}

/**
 * A refusal comes long before an answer would: nothing was generated for it. One that was generated first is never
 * quick, however busy the machine; one that was not is slow now and then, so that the quicker ones decide.
 */
function refusalsAreCheap(run: Run): Assertion {
  const answers = ofLoad(run, 'slow')
  const slow = quantile(answers.filter(isAdmitted).map(milliseconds), 0.5)
  const refusal = quantile(answers.filter(isRefused).map(milliseconds), 0.25)
  const expected = 'refusals that take less than half as long as answers'
  if (!(slow >= SLOW_ENOUGH_MS))
    return notJudged('refusals-cheap', expected, 'answers come too quickly to compare')
  if (Number.isNaN(refusal)) return notJudged('refusals-cheap', expected, 'nothing was refused')
  return assertion(
    'refusals-cheap',
    refusal < slow / 2,
    expected,
    `${refusal.toFixed(0)} ms, where answers take ${slow.toFixed(0)} ms`,
  )
}
