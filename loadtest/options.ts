// The command line of the load tests, read into validated options. Keys never come from a flag. Whatever is wrong is one
// line.
import { helpLine, parseFlags, renderHelp, valuesOf } from '../harness/cli/flags.ts'
import { UsageError } from '../harness/cli/usage-error.ts'
import { redactKeys } from '../spec/protocol/key.ts'
import { DEFAULT_SLO_MS, DEFAULT_TIMEOUT_SECONDS, FLAGS } from './flags.ts'
import type { Scenario } from './judges/scenario.ts'
import { scenarios } from './judges/scenario-table.ts'
import type { Algorithm, RequestLimit } from './theory/theory.ts'

export interface Options {
  readonly help: boolean
  readonly scenario: Scenario
  /** Undefined: the reference server is started. */
  readonly baseUrl: string | undefined
  readonly model: string | undefined
  readonly profile: 'service' | 'wire'
  readonly limit: RequestLimit | undefined
  readonly algorithm: Algorithm
  /** What a full bucket holds; undefined: as many as the limit has requests. */
  readonly burst: number | undefined
  readonly seconds: number | undefined
  readonly rate: number | undefined
  readonly maxRate: number | undefined
  readonly sloMs: number
  readonly timeoutSeconds: number
  readonly processes: number
  readonly json: string | undefined
  readonly html: string | undefined
  /** Only print the plan, for k6 elsewhere. */
  readonly planOnly: boolean
  /** Judge what k6 recorded elsewhere. */
  readonly records: readonly string[]
}

/** Reads the command line (without the program's name). Throws `UsageError`. */
export function readOptions(args: readonly string[]): Options {
  const { given, positionals } = parseFlags(FLAGS, args)
  const { one, all, isOn } = valuesOf(given)
  const help = isOn(FLAGS.help)
  const [name, more] = positionals
  if (more !== undefined) throw new UsageError(`one scenario at a time: unexpected '${redactKeys(more)}'`)
  const options = {
    help,
    scenario: scenarioNamed(help ? 'smoke' : name),
    baseUrl: one(FLAGS.baseUrl),
    model: one(FLAGS.model),
    profile: one(FLAGS.profile) ?? 'service',
    limit: one(FLAGS.limit),
    algorithm: one(FLAGS.algorithm) ?? 'any',
    burst: one(FLAGS.burst),
    seconds: one(FLAGS.seconds),
    rate: one(FLAGS.rate),
    maxRate: one(FLAGS.maxRate),
    sloMs: one(FLAGS.sloMs) ?? DEFAULT_SLO_MS,
    timeoutSeconds: one(FLAGS.timeout) ?? DEFAULT_TIMEOUT_SECONDS,
    processes: one(FLAGS.processes) ?? 1,
    json: one(FLAGS.json),
    html: one(FLAGS.html),
    planOnly: isOn(FLAGS.plan),
    records: all(FLAGS.record),
  }
  if (options.burst !== undefined && options.algorithm !== 'token-bucket')
    throw new UsageError('--burst: only a limiter of --algorithm token-bucket has one')
  if ((options.planOnly || options.records.length > 0) && options.baseUrl === undefined)
    throw new UsageError('--plan and --record are for k6 elsewhere: --base-url is needed')
  return options
}

function scenarioNamed(name: string | undefined): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (found !== undefined) return found
  const known = scenarios.map((scenario) => scenario.name).join(', ')
  throw new UsageError(
    name === undefined
      ? `which scenario? There are ${known}`
      : `no scenario is called '${redactKeys(name)}': there are ${known}`,
  )
}

/** The text of `--help`. */
export function help(): string {
  return `Usage: npm run loadtest -- SCENARIO [FLAGS]

Scenarios
${scenarios.map(({ name, about }) => helpLine(name, about)).join('\n')}

Keys, from the environment only
${helpLine('LOADTEST_KEYS', 'the keys that the scenario needs, separated by commas, and one more for the answers that are read byte for byte')}
${helpLine('LOADTEST_KEY_COMMAND', `or a command that makes them: 'create --limit N/SECONDS' prints {"id","secret"}, 'revoke ID'`)}
${helpLine('K6_BIN', 'the k6 to run; else the one on the PATH, else the one that Go builds from loadtest/go.mod')}

${renderHelp(FLAGS)}

Exit codes: 0 every assertion holds, 1 one does not, 2 nothing was run, 3 the run was not valid.
`
}
