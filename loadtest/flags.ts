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
    name: 'base-url',
    label: 'URL',
    read: rootAddress,
    group: 'Target',
    about: 'the root address, with or without `/v1`',
    fallback: 'the reference server',
  },
  model: {
    name: 'model',
    label: 'ID',
    read: notEmpty,
    group: 'Target',
    about: 'the model to ask',
    fallback: 'the first that the service lists',
  },
  profile: {
    name: 'profile',
    label: 'NAME',
    read: profile,
    group: 'Target',
    about: '`service`: refusals have the envelope of the specification; `wire`: refusals of any form',
    fallback: '`service`',
  },
  limit: {
    name: 'limit',
    label: 'N/SECONDS',
    read: requestLimit,
    group: 'Limit',
    about: 'the limit of each key',
    fallback: 'of the scenario',
  },
  algorithm: {
    name: 'algorithm',
    label: 'NAME',
    read: algorithm,
    group: 'Limit',
    about: `how the service counts, for closer bounds: ${ALGORITHMS.map((name) => `\`${name}\``).join(', ')}`,
    fallback: '`any`',
  },
  burst: {
    name: 'burst',
    label: 'N',
    read: whole(1, 1_000_000),
    group: 'Limit',
    about: 'what a full bucket of `--algorithm token-bucket` holds',
    fallback: 'as many as the limit has requests',
  },
  seconds: {
    name: 'seconds',
    label: 'N',
    read: whole(1, 86_400),
    group: 'Load',
    about: 'how long the load lasts',
    fallback: 'of the scenario',
  },
  rate: {
    name: 'rate',
    label: 'N',
    read: whole(1, 100_000),
    group: 'Load',
    about: 'requests in a second, where a scenario has a rate',
    fallback: 'of the scenario',
  },
  maxRate: {
    name: 'max-rate',
    label: 'N',
    read: whole(1, 100_000),
    group: 'Load',
    about: 'requests in a second at which `breakpoint` ends and that `spike` reaches',
    fallback: 'of the scenario',
  },
  sloMs: {
    name: 'slo-ms',
    label: 'N',
    read: whole(1, 3_600_000),
    group: 'Load',
    about: 'what an answer should take, in milliseconds',
    fallback: DEFAULT_SLO_MS,
  },
  timeout: {
    name: 'timeout',
    label: 'SECONDS',
    read: whole(1, 3600),
    group: 'Load',
    about: 'for one answer',
    fallback: DEFAULT_TIMEOUT_SECONDS,
  },
  processes: {
    name: 'processes',
    label: 'N',
    read: whole(1, MOST_PROCESSES),
    group: 'Load',
    about: 'k6 processes, each with its segment of the load',
    fallback: 1,
  },
  json: {
    name: 'json',
    label: 'FILE',
    read: reportFile,
    group: 'Reports',
    about: 'the verdict with every assertion, for programs',
  },
  html: {
    name: 'html',
    label: 'FILE',
    read: reportFile,
    group: 'Reports',
    about: 'the verdict as one page that reaches no host',
  },
  plan: { name: 'plan', group: 'k6 elsewhere', about: 'print the plan, as `LOADTEST_PLAN` has it' },
  record: {
    name: 'record',
    label: 'FILE',
    read: notEmpty,
    multiple: true,
    group: 'k6 elsewhere',
    about: 'judge what k6 recorded with `--out json`; may be repeated, once for each process',
  },
  help: HELP_FLAG,
} as const satisfies Readonly<Record<string, Switch | ValueFlag<unknown>>>

function algorithm(value: string, name: string): Algorithm {
  const found = ALGORITHMS.find((candidate) => candidate === value)
  if (found === undefined) throw new UsageError(`${name}: expected ${ALGORITHMS.join(', ')}, got '${value}'`)
  return found
}
