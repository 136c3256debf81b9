// Reads the command line of the load tests into validated options. Keys never come from a flag. An error is one line.
import { type ProgramSpec, readCommandLine } from '../harness/cli/command-line.ts'
import { valuesOf } from '../harness/cli/flags.ts'
import { UsageError } from '../harness/cli/usage-error.ts'
import { redactKeys } from '../spec/protocol/key.ts'
import { DEFAULT_SLO_MS, DEFAULT_TIMEOUT_SECONDS, FLAGS } from './flags.ts'
import type { Scenario } from './judges/scenario.ts'
import { scenarios } from './judges/scenario-table.ts'

const names = scenarios.map(({ name }) => name)
const width = Math.max(...names.map(({ length }) => length))

const LOADTEST: ProgramSpec = {
  name: 'npm run loadtest --',
  flags: FLAGS,
  commands: [
    {
      name: 'loadtest',
      about: 'Sends load with k6 to a service and judges the answers.',
      operands: '[scenario]',
      choices: names,
      notes: `Scenarios:
${scenarios.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n')}

Keys (from the environment):
  LOADTEST_KEYS         the keys that the scenario needs, separated by commas, and one more for the answers that are
                        read byte for byte
  LOADTEST_KEY_COMMAND  a command that makes them: 'create --limit N/SECONDS' prints {"id","secret"}, 'revoke ID'
  K6_BIN                the k6 to run; default: the one on the PATH, else the one that Go builds from loadtest/go.mod

Examples:
  npm run loadtest -- rate-limit
  npm run loadtest -- smoke --base-url http://127.0.0.1:8080 --json smoke.json

Exit codes:
  0  every assertion holds
  1  an assertion does not hold
  2  wrong usage, or nothing was run
  3  the run was not valid`,
    },
  ],
}

export type Options = ReturnType<typeof readOptions>

/** Reads the command line (without the program's name). Throws `UsageError`. */
export function readOptions(args: readonly string[]) {
  const { given, operands, help } = readCommandLine(LOADTEST, args)
  const { one, all, isOn } = valuesOf(given)
  const [name] = operands
  const options = {
    /** The text to print, if help is requested. */
    help,
    scenario: scenarioNamed(help === undefined ? name : 'smoke'),
    /** Undefined: the reference server is started. */
    baseUrl: one(FLAGS.baseUrl),
    model: one(FLAGS.model),
    profile: one(FLAGS.profile) ?? 'service',
    limit: one(FLAGS.limit),
    algorithm: one(FLAGS.algorithm) ?? 'any',
    /** Capacity of the bucket; undefined: the requests of the limit. */
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
    throw new UsageError('--burst: expected --algorithm token-bucket too')
  if ((options.planOnly || options.records.length > 0) && options.baseUrl === undefined)
    throw new UsageError('--plan and --record: expected --base-url too')
  return options
}

function scenarioNamed(name: string | undefined): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (found !== undefined) return found
  const received = name === undefined ? 'no scenario' : `'${redactKeys(name)}'`
  throw new UsageError(`expected a scenario, one of ${names.join(', ')}; received ${received}`)
}
