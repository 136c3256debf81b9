// Reads the command line of the load tests into validated options. Keys never come from a flag. An error is one line.
import { type ProgramSpec, readCommandLine } from '../../harness/cli/command-line.ts'
import { type Given, nameOf, readFlags } from '../../harness/cli/flags.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { redactKeys } from '../../spec/protocol/key.ts'
import { DEFAULT_TIMEOUT_SECONDS, FLAGS } from './loadtest-flags.ts'
import { DEFAULT_GENERATOR_SECONDS } from './judge-flags.ts'
import * as streams from './stream-flags.ts'
import { scriptList } from '../clock/timing-scripts.ts'
import type { Scenario } from '../judges/load-scenario.ts'
import { scenarios } from '../judges/load-scenarios.ts'

const names = scenarios.map(({ name }) => name)
const width = Math.max(...names.map(({ length }) => length))
const SCENARIOS = scenarios.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n')

const EXIT_CODES = `Exit codes:
  0  every assertion holds
  1  an assertion does not hold
  2  wrong usage, or nothing was run
  3  the run was not valid`

const LOADTEST: ProgramSpec = {
  name: 'npm run loadtest --',
  flags: FLAGS,
  about: 'Sends load to a chat service and judges its limits, or measures its streams.',
  notes: `Scenarios of run, the default command:
${SCENARIOS}

Examples:
  npm run loadtest -- rate-limit
  npm run loadtest -- latency --base-url http://127.0.0.1:8080 --rate 10 --slo ttft=500,tpot=50

${EXIT_CODES}`,
  commands: [
    {
      name: 'run',
      about: 'Sends load with k6 and judges the answers.',
      operands: '[scenario]',
      choices: names,
      notes: `Scenarios:
${SCENARIOS}

Keys (from the environment):
  LOADTEST_KEYS         the keys that the scenario needs, separated by commas, and one more for the answers that are
                        read byte for byte; default: that of CONFORMANCE_API_KEY
  LOADTEST_KEY_COMMAND  a command that makes them: 'create --limit N/SECONDS' prints {"id","secret"}, 'revoke ID'
  K6_BIN                the k6 to run; default: the one on the PATH, else the one that Go builds from loadtest/go.mod

Examples:
  npm run loadtest -- rate-limit
  npm run loadtest -- smoke --base-url http://127.0.0.1:8080 --json smoke.json

${EXIT_CODES}`,
    },
    {
      name: 'latency',
      about: 'Measures streams: time to the first token, gaps, throughput, goodput.',
      notes: `Keys (from the environment):
  LOADTEST_KEYS  one key or several, separated by commas, which conversations take in turn; default: that of
                 CONFORMANCE_API_KEY

Examples:
  npm run loadtest -- latency
  npm run loadtest -- latency --base-url http://127.0.0.1:8080 --rate 4 --seconds 60 --slo ttft=500,tpot=50
  npm run loadtest -- latency --base-url http://127.0.0.1:8080 --concurrency 8 --turns 4 --html latency.html

${EXIT_CODES}`,
    },
    {
      name: 'compare',
      about: 'Compares the figures of two measurements, with the interval of each difference.',
      operands: '[files...]',
      notes: `Example:
  npm run loadtest -- compare before.json after.json

Exit codes:
  0  the files were compared
  2  wrong usage, or a file that is not a measurement`,
    },
    {
      name: 'clock',
      about: 'Serves streams by a timing script and says what it really did, to check load generators.',
      notes: `Scripts:
${scriptList()}

The key is any bearer token. GET /truth has what the service did as JSON; DELETE /truth begins again.
SIGINT prints it and ends the service.

Example:
  npm run loadtest -- clock --scenario role-early`,
    },
    {
      name: 'judge',
      about: 'Judges a load generator: runs it against the clock, and compares its figures with the truth.',
      operands: '[command...]',
      notes: `Placeholders in the command: {base_url} ends in /v1, {root_url} does not; {model}, {api_key}, {requests}, {concurrency},
{rate}, {seconds} (the requests at that rate), {out} (a folder for its files, with prompts.jsonl), {inputs} (a folder with a
tokenizer of three words, \`words\`), {node} and {loadtest} (this program).

Without a command, that of the adapter runs; its program must be on the PATH.

Examples:
  npm run loadtest -- judge --figures latency
  npm run loadtest -- judge --figures mine.json -- my-generator --url {base_url} --model {model} --count {requests}

${EXIT_CODES}`,
    },
  ],
}

export type LoadTestOptions = ReturnType<typeof readOptions>

/** Options of `run`, which always has a scenario. */
export type RunOptions = LoadTestOptions & { readonly scenario: Scenario }

/** Reads the command line (without the program's name). Throws `UsageError`. */
export function readOptions(args: readonly string[]) {
  const { command, given, operands, help } = readCommandLine(LOADTEST, args)
  const values = readFlags(FLAGS, given)
  const scenario = help === undefined && command === 'run' ? scenarioNamed(operands[0]) : undefined
  const isOfStreams = command === 'latency' || (scenario?.name === 'breakpoint' && given['slo'] !== undefined)
  const timeoutSeconds =
    command === 'judge'
      ? DEFAULT_GENERATOR_SECONDS
      : isOfStreams
        ? streams.DEFAULT_STREAM_TIMEOUT_SECONDS
        : DEFAULT_TIMEOUT_SECONDS
  const options = {
    ...values,
    command,
    operands,
    /** The text to print, if help is requested. */
    help,
    /** The scenario of the command `run`; `script` is that of the clock. */
    scenario,
    script: values.scenario,
    /** Streams are measured: `latency`, or `breakpoint` with objectives. */
    isOfStreams,
    timeoutSeconds: values.timeout ?? timeoutSeconds,
    answerTokens: values.answerTokens ?? streams.DEFAULT_TOKENS,
    usage: !values.withoutUsage,
    slo: values.slo ?? {},
  }
  if (help === undefined) checkOptions(options, given)
  return options
}

/** Throws `UsageError` for flags that do not go together. */
function checkOptions(options: LoadTestOptions, given: Given): void {
  const { command, scenario, isOfStreams } = options
  if (options.burst !== undefined && options.algorithm !== 'token-bucket')
    throw new UsageError('--burst: expected --algorithm token-bucket too')
  if ((options.plan || options.record.length > 0) && options.baseUrl === undefined)
    throw new UsageError('--plan and --record: expected --base-url too')
  if (options.startIn !== undefined && !options.plan) throw new UsageError('--start-in: expected --plan too')
  if (command === 'compare' && options.operands.length !== 2)
    throw new UsageError(`compare: expected two files, received ${options.operands.length}`)
  if (options.concurrency !== undefined && (given['rate'] !== undefined || given['arrivals'] !== undefined))
    throw new UsageError('--concurrency: expected neither --rate nor --arrivals, which are of the open model')
  for (const name of ['prompt-tokens', 'shared-prefix'])
    if (options.prompts !== undefined && given[name] !== undefined)
      throw new UsageError(`--${name}: expected no --prompts, which has the whole prompts`)
  const { least } = options.promptTokens ?? streams.DEFAULT_TOKENS
  if (options.sharedPrefix > least)
    throw new UsageError(
      `--shared-prefix: expected at most the least of --prompt-tokens, ${least}, got '${options.sharedPrefix}'`,
    )
  if (scenario === undefined) return
  for (const flag of Object.values(streams.STREAM_FLAGS))
    if (!isOfStreams && given[nameOf(flag)] !== undefined)
      throw new UsageError(`--${nameOf(flag)}: expected latency, or breakpoint with --slo`)
  if (isOfStreams && (options.plan || options.record.length > 0))
    throw new UsageError('--plan and --record: breakpoint with --slo chooses its rates itself')
  if (!isOfStreams && !Number.isInteger(options.rate ?? 1))
    throw new UsageError(`--rate: expected a whole number for ${scenario.name}, got '${options.rate}'`)
}

function scenarioNamed(name: string | undefined): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (found !== undefined) return found
  const received = name === undefined ? 'no scenario' : `'${redactKeys(name)}'`
  throw new UsageError(`expected a scenario, one of ${names.join(', ')}, or latency; received ${received}`)
}
