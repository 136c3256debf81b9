// The flags of `judge`, which judges load generators.
import { flag, type Flags } from '../../harness/cli/flags.ts'
import { names, whole } from '../../harness/cli/flag-values.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { SCRIPTS } from '../clock/timing-scripts.ts'
import { adapter } from './generator-adapter.ts'

/** The default time limit of one run of a generator: some need a minute to start. */
export const DEFAULT_GENERATOR_SECONDS = 300

const JUDGE = ['judge']

/** Names of timing scripts, each of them once. */
function scriptNames(value: string, name: string): readonly string[] {
  const given = names(value, name)
  const unknown = given.find((one) => !Object.hasOwn(SCRIPTS, one))
  if (unknown === undefined) return given
  throw new UsageError(`${name}: expected names of ${Object.keys(SCRIPTS).join(', ')}, got '${unknown}'`)
}

export const JUDGE_FLAGS = {
  figures: flag('--figures NAME|FILE', adapter)
    .with({ group: 'Judging a generator', commands: JUDGE })
    .means('Adapter of the generator: a known one, or a file that says where its report has each figure'),
  scripts: flag('--scripts NAMES', scriptNames)
    .with({ commands: JUDGE, list: true, fallback: '11 of them' })
    .means('Timing scripts, separated by commas; the generator runs once for each'),
  requests: flag('--requests N', whole(10, 10_000))
    .with({ commands: JUDGE, default: 40 })
    .means('Requests of one run, the value of `{requests}`'),
  toleranceMs: flag('--tolerance-ms MS', whole(0, 10_000))
    .with({ commands: JUDGE, default: 15 })
    .means('How much higher than the truth a time may be, in milliseconds, beside the delays of the clock'),
  tolerancePercent: flag('--tolerance-percent N', whole(0, 100))
    .with({ commands: JUDGE, default: 10 })
    .means('How far from the truth a rate or the concurrency may be, in percent'),
  tries: flag('--tries N', whole(1, 10))
    .with({ commands: JUDGE, default: 3 })
    .means('Runs of a script whose times are too high, which a busy machine may explain'),
} as const satisfies Flags
