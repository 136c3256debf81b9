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

/** Where nothing else is said: for one answer, and what it should take. */
export const DEFAULT_TIMEOUT_SECONDS = 30
export const DEFAULT_SLO_MS = 1000

/** Processes of k6 at once, at most. */
const MOST_PROCESSES = 16

export const FLAGS = {
  baseUrl: {
    usage: '--base-url URL',
    read: rootAddress,
    group: 'Target',
    about: 'the root address, with or without `/v1`',
    fallback: 'the reference server',
  },
  model: {
    usage: '--model ID',
    read: notEmpty,
    about: 'the model to ask',
    fallback: 'the first that the service lists',
  },
  profile: {
    usage: '--profile NAME',
    read: profile,
    about: '`service`: refusals have the envelope of the specification; `wire`: refusals of any form',
    fallback: '`service`',
  },
  limit: {
    usage: '--limit N/SECONDS',
    read: requestLimit,
    group: 'Limit',
    about: 'the limit of each key',
    fallback: 'of the scenario',
  },
  algorithm: {
    usage: '--algorithm NAME',
    read: algorithm,
    about: `how the service counts, for closer bounds: ${ALGORITHMS.map((name) => `\`${name}\``).join(', ')}`,
    fallback: '`any`',
  },
  burst: {
    usage: '--burst N',
    read: whole(1, 1_000_000),
    about: 'what a full bucket of `--algorithm token-bucket` holds',
    fallback: 'as many as the limit has requests',
  },
  seconds: {
    usage: '--seconds N',
    read: whole(1, 86_400),
    group: 'Load',
    about: 'how long the load lasts',
    fallback: 'of the scenario',
  },
  rate: {
    usage: '--rate N',
    read: whole(1, 100_000),
    about: 'requests in a second, where a scenario has a rate',
    fallback: 'of the scenario',
  },
  maxRate: {
    usage: '--max-rate N',
    read: whole(1, 100_000),
    about: 'requests in a second at which `breakpoint` ends and that `spike` reaches',
    fallback: 'of the scenario',
  },
  sloMs: {
    usage: '--slo-ms N',
    read: whole(1, 3_600_000),
    about: 'what an answer should take, in milliseconds',
    fallback: DEFAULT_SLO_MS,
  },
  timeout: {
    usage: '--timeout SECONDS',
    read: whole(1, 3600),
    about: 'for one answer',
    fallback: DEFAULT_TIMEOUT_SECONDS,
  },
  processes: {
    usage: '--processes N',
    read: whole(1, MOST_PROCESSES),
    about: 'k6 processes, each with its segment of the load',
    fallback: 1,
  },
  json: {
    usage: '--json FILE',
    read: reportFile,
    group: 'Reports',
    about: 'the verdict with every assertion, for programs',
  },
  html: {
    usage: '--html FILE',
    read: reportFile,
    about: 'the verdict as one page that reaches no host',
  },
  plan: { usage: '--plan', group: 'k6 elsewhere', about: 'print the plan, as `LOADTEST_PLAN` has it' },
  record: {
    usage: '--record FILE',
    read: notEmpty,
    multiple: true,
    about: 'judge what k6 recorded with `--out json`; may be repeated, once for each process',
  },
  help: HELP_FLAG,
} as const satisfies Readonly<Record<string, Switch | ValueFlag<unknown>>>

function algorithm(value: string, name: string): Algorithm {
  const found = ALGORITHMS.find((candidate) => candidate === value)
  if (found === undefined) throw new UsageError(`${name}: expected ${ALGORITHMS.join(', ')}, got '${value}'`)
  return found
}
