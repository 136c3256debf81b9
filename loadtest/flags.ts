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
import { ALGORITHMS, type Algorithm } from './theory/theory.ts'

/** Defaults: time limit and latency objective of one answer. */
export const DEFAULT_TIMEOUT_SECONDS = 30
export const DEFAULT_SLO_MS = 1000

/** The maximum number of concurrent k6 processes. */
const MOST_PROCESSES = 16

export const FLAGS = {
  baseUrl: {
    usage: '--base-url URL',
    read: rootAddress,
    group: 'Target',
    about: 'Root address of the service, with or without `/v1`',
    fallback: 'the reference server',
  },
  model: {
    usage: '--model ID',
    read: notEmpty,
    about: 'Model to ask',
    fallback: 'the first that the service lists',
  },
  profile: {
    usage: '--profile NAME',
    read: profile,
    choices: ['service', 'wire'],
    about: '`service`: a refusal has the error envelope of the specification; `wire`: it can have any form',
    fallback: '`service`',
  },
  limit: {
    usage: '--limit N/SECONDS',
    read: requestLimit,
    group: 'Limit',
    about: 'Rate limit of each key, for example `60/60` for 60 requests in 60 seconds',
    fallback: 'set by the scenario',
  },
  algorithm: {
    usage: '--algorithm NAME',
    read: algorithm,
    choices: ALGORITHMS,
    about: `Limiter of the service, which gives closer bounds: ${ALGORITHMS.map((name) => `\`${name}\``).join(', ')}`,
    fallback: '`any`',
  },
  burst: {
    usage: '--burst N',
    read: whole(1, 1_000_000),
    about: 'Capacity of the bucket with `--algorithm token-bucket`, in requests',
    fallback: 'the requests of the limit',
  },
  seconds: {
    usage: '--seconds N',
    read: whole(1, 86_400),
    group: 'Load',
    about: 'Duration of the load, in seconds',
    fallback: 'set by the scenario',
  },
  rate: {
    usage: '--rate N',
    read: whole(1, 100_000),
    about: 'Request rate, in requests per second, if the scenario has one',
    fallback: 'set by the scenario',
  },
  maxRate: {
    usage: '--max-rate N',
    read: whole(1, 100_000),
    about: 'Maximum request rate of `breakpoint` and `spike`, in requests per second',
    fallback: 'set by the scenario',
  },
  sloMs: {
    usage: '--slo-ms N',
    read: whole(1, 3_600_000),
    about: 'Latency objective of an answer, in milliseconds',
    fallback: DEFAULT_SLO_MS,
  },
  timeout: {
    usage: '--timeout SECONDS',
    read: whole(1, 3600),
    about: 'Time limit for one answer, in seconds',
    fallback: DEFAULT_TIMEOUT_SECONDS,
  },
  processes: {
    usage: '--processes N',
    read: whole(1, MOST_PROCESSES),
    about: 'Number of k6 processes, which share the load',
    fallback: 1,
  },
  json: {
    usage: '--json FILE',
    read: reportFile,
    group: 'Reports',
    about: 'Write the verdict with every assertion as JSON, for programs',
  },
  html: {
    usage: '--html FILE',
    read: reportFile,
    about: 'Write the verdict as one HTML page, which loads nothing from the network',
  },
  plan: {
    usage: '--plan',
    group: 'k6 elsewhere',
    about: 'Print the plan, the value of `LOADTEST_PLAN`, and send nothing',
  },
  record: {
    usage: '--record FILE',
    read: notEmpty,
    multiple: true,
    about: 'Judge a file that k6 has written with `--out json`; may be repeated, once for each process',
  },
  help: HELP_FLAG,
} as const satisfies Readonly<Record<string, Switch | ValueFlag<unknown>>>

function algorithm(value: string, name: string): Algorithm {
  const found = ALGORITHMS.find((candidate) => candidate === value)
  if (found === undefined) throw new UsageError(`${name}: expected ${ALGORITHMS.join(', ')}, got '${value}'`)
  return found
}
