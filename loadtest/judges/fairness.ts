// Judges whether keys are independent: one key far above its limit must not affect others below theirs (LIMIT-5).
import { enforced, headlineOf, ifEnforced, spared, withinUpper } from './bound-assertions.ts'
import { assertion, inForm, milliseconds, ofLoad, statuses } from './judgement.ts'
import { farAbove, rateOf, type Scenario } from './load-scenario.ts'
import { evenLoad } from '../theory/load-plan.ts'
import { quantile } from '../theory/statistics.ts'

const QUIET = ['quiet-1', 'quiet-2', 'quiet-3'] as const

export const fairness: Scenario = {
  name: 'fairness',
  about: 'a key far above its limit, and quiet keys that it must not affect',
  limited: ['loud', ...QUIET],
  defaults: (limit = { requests: 4, windowSeconds: 1 }) => ({
    limit,
    seconds: Math.max(6, 2 * limit.windowSeconds),
  }),
  loads: ({ limit, seconds }) => [
    evenLoad('loud', farAbove(limit), { seconds }),
    ...QUIET.map((name) => evenLoad(name, rateOf(limit) / 2, { seconds })),
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
        ...ifEnforced(limited, [withinUpper('upper', counting, loud)]),
        spared(
          'quiet-admitted',
          counting,
          QUIET.map((name) => ofLoad(run, name)),
        ),
        assertion(
          'quiet-served',
          slow <= sloMs,
          `95 % of the answers to quiet keys within ${sloMs} ms`,
          `${slow.toFixed(0)} ms`,
        ),
      ],
    }
  },
}
