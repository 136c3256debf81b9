// The flags of the load tests.
import { HELP_FLAG, type Switch, type ValueFlag } from '../harness/cli/flags.ts'
import {
  notEmpty,
  profile,
  reportFile,
  requestLimit,
  rootAddress,
  whole,
} from '../harness/cli/flag-values.ts'
import { UsageError } from '../harness/cli/usage-error.ts'
import { rate } from './latency/flag-values.ts'
import { CLOCK_FLAGS, DEFAULT_STREAM_TIMEOUT_SECONDS, STREAM_FLAGS } from './latency/flags.ts'
import { ALGORITHMS, type Algorithm } from './theory/theory.ts'

/** Defaults: time limit and latency objective of one answer. */
export const DEFAULT_TIMEOUT_SECONDS = 30
export const DEFAULT_SLO_MS = 1000

const RUN = ['run']
const LOADS = ['run', 'latency']
const REPORTS = ['run', 'latency', 'compare']

/** The maximum number of concurrent k6 processes. */
const MOST_PROCESSES = 16

export const FLAGS = {
  baseUrl: {
    usage: '--base-url URL',
    read: rootAddress,
    group: 'Target',
    commands: LOADS,
    about: 'Root address of the service, with or without `/v1`',
    fallback: 'the reference server',
  },
  model: {
    usage: '--model ID',
    read: notEmpty,
    commands: LOADS,
    about: 'Model to ask',
    fallback: 'the first that the service lists',
  },
  profile: {
    usage: '--profile NAME',
    read: profile,
    choices: ['service', 'wire'],
    commands: RUN,
    about: '`service`: a refusal has the error envelope of the specification; `wire`: it can have any form',
    fallback: '`service`',
  },
  limit: {
    usage: '--limit N/SECONDS',
    read: requestLimit,
    group: 'Limit',
    commands: RUN,
    about: 'Rate limit of each key, for example `60/60` for 60 requests in 60 seconds',
    fallback: 'set by the scenario',
  },
  algorithm: {
    usage: '--algorithm NAME',
    read: algorithm,
    choices: ALGORITHMS,
    commands: RUN,
    about: `Limiter of the service, which gives closer bounds: ${ALGORITHMS.map((name) => `\`${name}\``).join(', ')}`,
    fallback: '`any`',
  },
  burst: {
    usage: '--burst N',
    read: whole(1, 1_000_000),
    commands: RUN,
    about: 'Capacity of the bucket with `--algorithm token-bucket`, in requests',
    fallback: 'the requests of the limit',
  },
  seconds: {
    usage: '--seconds N',
    read: whole(1, 86_400),
    group: 'Load',
    commands: LOADS,
    about: 'Duration of the load, in seconds',
    fallback: 'set by the scenario',
  },
  rate: {
    usage: '--rate N',
    read: rate,
    commands: LOADS,
    about: 'Request rate, in requests per second, if the scenario has one; for streams also a part of one',
    fallback: 'set by the scenario',
  },
  maxRate: {
    usage: '--max-rate N',
    read: whole(1, 100_000),
    commands: RUN,
    about: 'Maximum request rate of `breakpoint` and `spike`, in requests per second',
    fallback: 'set by the scenario',
  },
  sloMs: {
    usage: '--slo-ms N',
    read: whole(1, 3_600_000),
    commands: RUN,
    about: 'Latency objective of an answer, in milliseconds',
    fallback: DEFAULT_SLO_MS,
  },
  timeout: {
    usage: '--timeout SECONDS',
    read: whole(1, 3600),
    commands: LOADS,
    about: 'Time limit for one answer, in seconds',
    fallback: `${DEFAULT_TIMEOUT_SECONDS}, for streams ${DEFAULT_STREAM_TIMEOUT_SECONDS}`,
  },
  processes: {
    usage: '--processes N',
    read: whole(1, MOST_PROCESSES),
    commands: LOADS,
    about: 'Number of processes that share the load, of k6 or of the generator of streams',
    fallback: 1,
  },
  ...STREAM_FLAGS,
  ...CLOCK_FLAGS,
  json: {
    usage: '--json FILE',
    read: reportFile,
    group: 'Reports',
    commands: REPORTS,
    about: 'Write the verdict with every assertion as JSON, for programs',
  },
  html: {
    usage: '--html FILE',
    read: reportFile,
    commands: REPORTS,
    about: 'Write the verdict as one HTML page, which loads nothing from the network',
  },
  plan: {
    usage: '--plan',
    group: 'Generators elsewhere',
    commands: LOADS,
    about: 'Print the plan, the value of `LOADTEST_PLAN`, and send nothing',
  },
  record: {
    usage: '--record FILE',
    read: notEmpty,
    multiple: true,
    commands: LOADS,
    about:
      'Judge a file that k6 has written with `--out json`, or a generator of streams to its output; may be repeated, once for each process',
  },
  help: HELP_FLAG,
} as const satisfies Readonly<Record<string, Switch | ValueFlag<unknown>>>

function algorithm(value: string, name: string): Algorithm {
  const found = ALGORITHMS.find((candidate) => candidate === value)
  if (found === undefined) throw new UsageError(`${name}: expected ${ALGORITHMS.join(', ')}, got '${value}'`)
  return found
}
