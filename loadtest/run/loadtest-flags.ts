// The flags of the load tests.
import { HELP_FLAG, flag, type Flags } from '../../harness/cli/flags.ts'
import {
  authHeader,
  notEmpty,
  oneOf,
  profile,
  reportFile,
  requestLimit,
  serviceAddress,
  whole,
} from '../../harness/cli/flag-values.ts'
import { rate } from './stream-flag-values.ts'
import { DEFAULT_GENERATOR_SECONDS, JUDGE_FLAGS } from './judge-flags.ts'
import { CLOCK_FLAGS, DEFAULT_STREAM_TIMEOUT_SECONDS, STREAM_FLAGS } from './stream-flags.ts'
import { ALGORITHMS } from '../theory/limiter-bounds.ts'

/** Default time limit of one answer. */
export const DEFAULT_TIMEOUT_SECONDS = 30

const RUN = ['run']
const LOADS = ['run', 'latency']
/** `judge` gives some to the command that it judges. */
const JUDGED = [...LOADS, 'judge']
const REPORTS = ['run', 'latency', 'compare', 'judge']

/** The maximum number of concurrent k6 processes. */
const MOST_PROCESSES = 16

export const FLAGS = {
  baseUrl: flag('--base-url URL', serviceAddress)
    .with({ group: 'Target', commands: LOADS, fallback: 'the reference server' })
    .means(
      'Address of the service, with or without `/v1`; one that ends in another version, or under which the service answers, is used as it is',
    ),
  authHeader: flag('--auth-header NAME', authHeader)
    .with({ commands: LOADS, fallback: '`Authorization`, with `Bearer` before the key' })
    .means('Header to send the key in, for example `api-key`'),
  model: flag('--model ID', notEmpty)
    .with({ commands: LOADS, fallback: 'the first that the service lists' })
    .means('Model to ask'),
  profile: flag('--profile NAME', profile)
    .with({ choices: ['service', 'wire'], commands: RUN, default: 'service', fallback: '`service`' })
    .means('`service`: a refusal has the error envelope of the specification; `wire`: it can have any form'),
  limit: flag('--limit N/SECONDS', requestLimit)
    .with({ group: 'Limit', commands: RUN, fallback: 'set by the scenario' })
    .means('Rate limit of each key, for example `60/60` for 60 requests in 60 seconds'),
  algorithm: flag('--algorithm NAME', oneOf(ALGORITHMS, ALGORITHMS.join(', ')))
    .with({ choices: ALGORITHMS, commands: RUN, default: 'any', fallback: '`any`' })
    .means(
      `Limiter of the service, which gives closer bounds: ${ALGORITHMS.map((name) => `\`${name}\``).join(', ')}`,
    ),
  burst: flag('--burst N', whole(1, 1_000_000))
    .with({ commands: RUN, fallback: 'the requests of the limit' })
    .means('Capacity of the bucket with `--algorithm token-bucket`, in requests'),
  seconds: flag('--seconds N', whole(1, 86_400))
    .with({ group: 'Load', commands: LOADS, fallback: 'set by the scenario' })
    .means('Duration of the load, in seconds'),
  rate: flag('--rate N', rate)
    .with({ commands: JUDGED, fallback: 'set by the scenario' })
    .means(
      'Request rate, in requests per second, if the scenario has one; for streams also a part of one; `judge`: the value of `{rate}`, by default 10',
    ),
  maxRate: flag('--max-rate N', whole(1, 100_000))
    .with({ commands: RUN, fallback: 'set by the scenario' })
    .means('Maximum request rate of `breakpoint` and `spike`, in requests per second'),
  sloMs: flag('--slo-ms N', whole(1, 3_600_000))
    .with({ commands: RUN, default: 1000 })
    .means('Latency objective of an answer, in milliseconds'),
  timeout: flag('--timeout SECONDS', whole(1, 3600))
    .with({
      commands: JUDGED,
      fallback: `${DEFAULT_TIMEOUT_SECONDS}, for streams ${DEFAULT_STREAM_TIMEOUT_SECONDS}, of judge ${DEFAULT_GENERATOR_SECONDS}`,
    })
    .means('Time limit for one answer, or of `judge` for one run of the generator, in seconds'),
  processes: flag('--processes N', whole(1, MOST_PROCESSES))
    .with({ commands: LOADS, default: 1 })
    .means('Number of processes that share the load, of k6 or of the generator of streams'),
  ...STREAM_FLAGS,
  ...CLOCK_FLAGS,
  ...JUDGE_FLAGS,
  json: flag('--json FILE', reportFile)
    .with({ group: 'Reports', commands: REPORTS })
    .means('Write the verdict with every assertion as JSON, for programs'),
  html: flag('--html FILE', reportFile)
    .with({ commands: REPORTS })
    .means('Write the verdict as one HTML page, which loads nothing from the network'),
  plan: flag('--plan')
    .with({ group: 'Generators elsewhere', commands: LOADS })
    .means('Print the plan, the value of `LOADTEST_PLAN`, and send nothing'),
  record: flag('--record FILE', notEmpty)
    .with({ multiple: true, commands: LOADS })
    .means(
      'Judge a file that k6 has written with `--out json`, or a generator of streams to its output; may be repeated, once for each process',
    ),
  help: HELP_FLAG,
} as const satisfies Flags
