// Judges how exactly a limit is kept: keys below, at and far above it, one key with many requests at the same time, and
// one with slow answers, which shows whether refusals are cheaper than answers.
import {
  enforced,
  findsOneTooFew,
  ifEnforced,
  headlineOf,
  spared,
  withinLower,
  withinUpper,
} from './bound-assertions.ts'
import {
  type Assertion,
  assertion,
  inForm,
  isAdmitted,
  isRefused,
  milliseconds,
  notJudged,
  ofLoad,
  type LoadRun,
  statuses,
} from './judgement.ts'
import { farAbove, rateOf, type Scenario } from './load-scenario.ts'
import { evenLoad } from '../theory/load-plan.ts'
import { busiestPossible, detectable, extent, mostAdmitted } from '../theory/limiter-bounds.ts'
import { quantile } from '../theory/statistics.ts'

/** The most requests in a burst. */
const MOST_AT_ONCE = 100

/** The requested delay of a slow answer, and the shortest answer that can be compared, in milliseconds. */
const SLOW_MS = 400
const SLOW_ENOUGH_MS = 100

export const rateLimit: Scenario = {
  name: 'rate-limit',
  about: 'below, at and far above the limit, against two-sided bounds',
  limited: ['below', 'at', 'above', 'burst', 'slow'],
  defaults: (limit = { requests: 3, windowSeconds: 1 }) => ({
    limit,
    // Enough windows to show an error of one request, up to a minute.
    seconds: Math.max(10, Math.min(60, (2 * limit.requests + 3) * limit.windowSeconds)),
  }),
  loads({ limit, seconds, delays }) {
    const rate = rateOf(limit)
    return [
      evenLoad('below', rate / 2, { seconds }),
      evenLoad('at', rate, { seconds }),
      evenLoad('above', farAbove(limit), { seconds }),
      {
        name: 'burst',
        role: 'burst',
        startSeconds: 1,
        seconds: Math.max(1, seconds - 1),
        arrivals: { kind: 'burst', requests: Math.min(MOST_AT_ONCE, Math.max(10, 5 * limit.requests)) },
      },
      {
        ...evenLoad('slow', Math.min(4 * rate, farAbove(limit)), { seconds }),
        ...(delays ? { delayMs: SLOW_MS } : {}),
      },
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
        ...ifEnforced(limited, held),
        spared('below', counting, [ofLoad(run, 'below')]),
      ],
      notes: [
        error === 1
          ? 'This run would detect one request too many in every window.'
          : error === Number.POSITIVE_INFINITY
            ? 'The run is shorter than a window: it would detect only a burst above its bound.'
            : `This run would detect an error of ${error} requests or more in every window. Use a longer run or --algorithm to detect a smaller one.`,
        ...(findsOneTooFew(counting, above)
          ? []
          : [
              'This run may miss one request too few in every window. Use a longer run or a quieter machine to detect it.',
            ]),
      ],
    }
  },
}

/**
 * Asserts the lower bound far above the limit. At the limit itself, chance may put at most one request too many into a
 * window, if the limiter admits two requests in a row.
 */
function lower(run: LoadRun): Assertion {
  const { counting } = run
  const far = withinLower('lower', counting, ofLoad(run, 'above'))
  const answers = ofLoad(run, 'at')
  const most = Math.ceil(extent(answers) / counting.limit.windowSeconds) + 1
  const refused = answers.filter(isRefused).length
  const isEven = busiestPossible(answers, counting.limit.windowSeconds) <= counting.limit.requests + 1
  // A limiter of one token refuses half of an even load in which each request is slightly early.
  const hasRoom = Math.min(counting.burst, counting.limit.requests) >= 2 && !isOneByOne(run) && isEven
  if (far.outcome === 'not judged' || !hasRoom) return far
  return assertion(
    'lower',
    far.outcome === 'pass' && refused <= most,
    `${far.expected}, and at the limit at most ${most} refused`,
    `${far.actual}, and ${refused} of ${answers.length}`,
  )
}

/** Whether the limiter admits one request at a time, as a leaky bucket does. */
function isOneByOne(run: LoadRun): boolean {
  const answers = ofLoad(run, 'burst')
  const oneToken = { limit: run.counting.limit, algorithm: 'token-bucket', burst: 1 } as const
  return answers.filter(isAdmitted).length <= mostAdmitted(oneToken, extent(answers))
}

/** Asserts that concurrent requests do not exceed the limit. */
function atOnce({ counting, ...run }: LoadRun): Assertion {
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
 * Asserts that a refusal is much faster than an answer, because nothing is generated for it. The faster quarter of the
 * refusals decides: on a busy machine a cheap refusal may be slow, but an expensive one is never fast.
 */
function refusalsAreCheap(run: LoadRun): Assertion {
  const answers = ofLoad(run, 'slow')
  const slow = quantile(answers.filter(isAdmitted).map(milliseconds), 0.5)
  const refusal = quantile(answers.filter(isRefused).map(milliseconds), 0.25)
  const expected = 'refusals that take less than half as long as answers'
  if (!(slow >= SLOW_ENOUGH_MS))
    return notJudged('refusals-cheap', expected, 'answers are too fast to compare')
  if (Number.isNaN(refusal)) return notJudged('refusals-cheap', expected, 'nothing was refused')
  return assertion(
    'refusals-cheap',
    refusal < slow / 2,
    expected,
    `${refusal.toFixed(0)} ms; answers take ${slow.toFixed(0)} ms`,
  )
}
