// Whether keys stand apart: one far above its limit beside others well below theirs, which must not notice (LIMIT-5).
import { enforced, headlineOf, spared, withinUpper } from '../theory/bounds.ts'
import { assertion, inForm, milliseconds, notJudged, ofLoad, quantile, statuses } from './judgement.ts'
import { farAbove, rateOf, type Scenario } from './scenario.ts'

const QUIET = ['quiet-1', 'quiet-2', 'quiet-3'] as const

export const fairness: Scenario = {
  name: 'fairness',
  about: 'a loud key beside quiet ones, which must not notice',
  limited: ['loud', ...QUIET],
  unlimited: [],
  defaults: (limit = { requests: 4, windowSeconds: 1 }) => ({
    limit,
    seconds: Math.max(6, 2 * limit.windowSeconds),
    rate: 0,
    maxRate: 0,
  }),
  loads: ({ limit, seconds }) => [
    {
      name: 'loud',
      role: 'loud',
      startSeconds: 0,
      seconds,
      arrivals: { kind: 'constant', perSecond: farAbove(limit) },
    },
    ...QUIET.map((name) => ({
      name,
      role: name,
      startSeconds: 0,
      seconds,
      arrivals: { kind: 'constant', perSecond: rateOf(limit) / 2 } as const,
    })),
  ],
  judge(run) {
    const { counting, record, sloMs } = run
    const loud = record.answers.filter(({ role }) => role === 'loud')
    const quiet = record.answers.filter(({ role }) => role.startsWith('quiet'))
    const slow = quantile(quiet.map(milliseconds), 0.95)
    const limited = enforced(loud)
    return {
      headline: headlineOf(counting, loud),
      shown: 'loud',
      assertions: [
        statuses('statuses', record.answers, [200, 429]),
        inForm(run),
        limited,
        limited.outcome === 'pass'
          ? withinUpper('upper', counting, loud)
          : notJudged('upper', 'no more admitted than the limit', 'nothing is limited'),
        spared(
          'quiet-admitted',
          counting,
          QUIET.map((name) => ofLoad(run, name)),
        ),
        assertion(
          'quiet-served',
          slow <= sloMs,
          `19 of 20 answers to quiet keys within ${sloMs} ms`,
          `${slow.toFixed(0)} ms`,
        ),
      ],
      notes: [],
    }
  },
}
