// The command line of the load tests, read into validated options. Keys never come from a flag. Whatever is wrong is one
// line.
import { parseArgs } from 'node:util'
import {
  notEmpty,
  profile,
  reportFile,
  requestLimit,
  rootAddress,
  whole,
} from '../harness/cli/flag-values.ts'
import { UsageError } from '../harness/cli/usage-error.ts'
import { redactKeys } from '../spec/protocol/key.ts'
import type { Scenario } from './judges/scenario.ts'
import { scenarios } from './judges/scenario-table.ts'
import { ALGORITHMS, type Algorithm, type RequestLimit } from './theory/theory.ts'

/** Where nothing else is said: for one answer, and what it should take. */
const TIMEOUT_SECONDS = 30
const SLO_MS = 1000

/** Processes of k6 at once, at most. */
const MOST_PROCESSES = 16

const FLAGS = {
  'base-url': { type: 'string' },
  model: { type: 'string' },
  profile: { type: 'string' },
  limit: { type: 'string' },
  algorithm: { type: 'string' },
  burst: { type: 'string' },
  seconds: { type: 'string' },
  rate: { type: 'string' },
  'max-rate': { type: 'string' },
  'slo-ms': { type: 'string' },
  timeout: { type: 'string' },
  processes: { type: 'string' },
  json: { type: 'string' },
  html: { type: 'string' },
  plan: { type: 'boolean' },
  record: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
} as const

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
  const { values, positionals } = parse(args)
  const read = <Value>(
    name: keyof typeof values,
    parse: (text: string, name: string) => Value,
  ): Value | undefined => {
    const value = values[name]
    return typeof value === 'string' ? parse(value, `--${name}`) : undefined
  }
  const help = values.help === true
  const [name, more] = positionals
  if (more !== undefined) throw new UsageError(`one scenario at a time: unexpected '${redactKeys(more)}'`)
  const options = {
    help,
    scenario: scenarioNamed(help ? 'smoke' : name),
    baseUrl: read('base-url', rootAddress),
    model: read('model', notEmpty),
    profile: read('profile', profile) ?? 'service',
    limit: read('limit', requestLimit),
    algorithm: read('algorithm', algorithm) ?? 'any',
    burst: read('burst', whole(1, 1_000_000)),
    seconds: read('seconds', whole(1, 86_400)),
    rate: read('rate', whole(1, 100_000)),
    maxRate: read('max-rate', whole(1, 100_000)),
    sloMs: read('slo-ms', whole(1, 3_600_000)) ?? SLO_MS,
    timeoutSeconds: read('timeout', whole(1, 3600)) ?? TIMEOUT_SECONDS,
    processes: read('processes', whole(1, MOST_PROCESSES)) ?? 1,
    json: read('json', reportFile),
    html: read('html', reportFile),
    planOnly: values.plan === true,
    records: values.record ?? [],
  }
  if (options.burst !== undefined && options.algorithm !== 'token-bucket')
    throw new UsageError('--burst: only a limiter of --algorithm token-bucket has one')
  if ((options.planOnly || options.records.length > 0) && options.baseUrl === undefined)
    throw new UsageError('--plan and --record are for k6 elsewhere: --base-url is needed')
  return options
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, strict: true, allowPositionals: true })
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s|\n/)
    throw new UsageError(redactKeys(line))
  }
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

function algorithm(value: string, name: string): Algorithm {
  const found = ALGORITHMS.find((candidate) => candidate === value)
  if (found === undefined) throw new UsageError(`${name}: expected ${ALGORITHMS.join(', ')}, got '${value}'`)
  return found
}

/** The text of `--help`. */
export function help(): string {
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  return `Usage: npm run loadtest -- SCENARIO [--base-url URL] [options]

${scenarios.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n')}

Without --base-url the reference server is started. Keys come from the environment:
  LOADTEST_KEYS          the keys that the scenario needs, separated by commas, and one more for the answers that are
                         read byte for byte
  LOADTEST_KEY_COMMAND   or a command that makes them: 'create --limit N/SECONDS' prints {"id","secret"}, 'revoke ID'
  K6_BIN                 the k6 to run; else the one on the PATH, else the one that Go builds from loadtest/go.mod

  --limit N/SECONDS      the limit of each key
  --algorithm NAME       how the service counts, for closer bounds: ${ALGORITHMS.join(', ')} (any)
  --burst N              what a full token bucket holds (as many as the limit has requests)
  --seconds N            how long the load lasts; --rate N and --max-rate N, requests in a second, where a scenario has them
  --slo-ms N             what an answer should take, in milliseconds (${SLO_MS}); --timeout SECONDS for one answer (${TIMEOUT_SECONDS})
  --processes N          k6 processes, each with its segment of the load (1)
  --model ID             the model to ask (the first that the service lists)
  --profile wire         refusals of any form (service)
  --json FILE, --html FILE
  --plan                 print the plan, as LOADTEST_PLAN has it for k6 elsewhere
  --record FILE          judge what k6 recorded elsewhere with --out json; once for each process

Exit codes: 0 every assertion holds, 1 one does not, 2 nothing was run, 3 the run was not valid.
`
}
