// The flags of the judge. Where a program can say the same, an option of `ConformanceOptions` has the name that a flag
// has here, and the same reader.
import { GENERAL, HELP_FLAG, type Switch, type ValueFlag } from '../../harness/cli/flags.ts'
import {
  headerLine,
  httpAddress,
  names,
  notEmpty,
  perSecond,
  profile,
  reportFile,
  requestLimit,
  whole,
} from '../../harness/cli/flag-values.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { CAPABILITIES } from '../target/capabilities.ts'

/** Property cases per check, requests in flight, and seconds for one answer, where nothing is said. */
export const DEFAULT_RUNS = 50
export const DEFAULT_CONCURRENCY = 4
export const DEFAULT_TIMEOUT_SECONDS = 30

const reportTo = (name: string, about: string): ValueFlag<string> => {
  return { name, label: 'FILE', read: reportFile, group: 'Reports', about }
}

/** The reports that are written to a file. */
export const REPORT_FLAGS = {
  json: reportTo('json', 'the report for programs'),
  junit: reportTo('junit', 'the report for servers that show test results'),
  html: reportTo('html', 'the report as one page that reaches no host'),
  markdown: reportTo('markdown', 'the report as Markdown'),
  badge: reportTo('badge', 'the verdict as an endpoint of shields.io: how many MUSTs hold of how many apply'),
}

export const FLAGS = {
  baseUrl: {
    name: 'base-url',
    label: 'URL',
    read: httpAddress,
    group: 'Target',
    about: 'the root address, with or without `/v1`',
    fallback: 'the reference server',
  },
  model: {
    name: 'model',
    label: 'ID',
    read: names,
    list: true,
    group: 'Target',
    about: 'the model; of several, as `A,B`, one after the other is judged',
    fallback: 'the first that `GET /v1/models` lists',
  },
  profile: {
    name: 'profile',
    label: 'NAME',
    read: profile,
    group: 'Target',
    about: '`service`: the whole specification; `wire`: the chat completions format on any deployment',
    fallback: '`service`',
  },
  headers: {
    name: 'header',
    label: "'NAME: VALUE'",
    read: headerLine,
    multiple: true,
    group: 'Target',
    about: 'sent with every request; may be repeated, its value is in no report',
  },
  limit: {
    name: 'limit',
    label: 'N/SECONDS',
    read: requestLimit,
    group: 'Target',
    about: 'the limit of the limited key',
    fallback: 'discovered',
  },
  only: {
    name: 'only',
    label: 'PATTERN',
    read: notEmpty,
    group: 'Selection',
    about: "a glob over ids of checks and requirements, as `'AUTH-*'` or `'wire.*'`; commas separate several",
    fallback: 'all',
  },
  catalogue: {
    name: 'catalogue',
    label: 'VERSION',
    read: notEmpty,
    group: 'Selection',
    about: 'leaves out the checks that came after this version of the catalogue',
    fallback: 'the newest',
  },
  seed: {
    name: 'seed',
    label: 'N',
    read: whole(0, 0xffffffff),
    group: 'Selection',
    about: 'of everything random: same seed, same requests',
    fallback: 'drawn, printed',
  },
  runs: {
    name: 'runs',
    label: 'N',
    read: whole(1, 100_000),
    group: 'Selection',
    about: 'cases of each property',
    fallback: DEFAULT_RUNS,
  },
  concurrency: {
    name: 'concurrency',
    label: 'N',
    read: whole(1, 64),
    group: 'Bounds',
    about: 'cases at once',
    fallback: DEFAULT_CONCURRENCY,
  },
  timeout: {
    name: 'timeout',
    label: 'SECONDS',
    read: whole(1, 3600),
    group: 'Bounds',
    about: 'for one answer; a check may take twice that, at least a minute',
    fallback: DEFAULT_TIMEOUT_SECONDS,
  },
  maxRequests: {
    name: 'max-requests',
    label: 'N',
    read: whole(1, Number.MAX_SAFE_INTEGER),
    group: 'Bounds',
    about: 'for the whole run; what would need more is inconclusive',
    fallback: 'no bound',
  },
  requestsPerSecond: {
    name: 'requests-per-second',
    label: 'N',
    read: perSecond,
    group: 'Bounds',
    about: 'begun at most, as `0.5`; bursts that exhaust the limited key are left alone',
    fallback: 'no bound',
  },
  strict: {
    name: 'strict',
    group: 'Verdict',
    about: 'a SHOULD that does not hold fails',
    fallback: 'it warns',
  },
  require: {
    name: 'require',
    label: 'NAME,…',
    read: capabilities,
    list: true,
    group: 'Verdict',
    about: 'capabilities that the target is declared to have, as `n,stop,echo`: one that it refuses fails',
    fallback: 'discovered',
  },
  baseline: {
    name: 'baseline',
    label: 'FILE',
    read: notEmpty,
    group: 'Verdict',
    about: 'expected failures, `[{"check","reason"}]`; an entry that passes fails the run',
  },
  allowIncomplete: {
    name: 'allow-incomplete',
    group: 'Verdict',
    about: 'a MUST that could not be judged does not change the exit code',
    fallback: 'exit code 3',
  },
  ...REPORT_FLAGS,
  config: {
    name: 'config',
    label: 'FILE',
    read: notEmpty,
    group: GENERAL,
    about: 'JSON with these flags as keys, and the credentials under their names',
    inFile: false,
  },
  help: HELP_FLAG,
  version: {
    name: 'version',
    group: GENERAL,
    about: 'the versions of the judge and of its catalogue',
    inFile: false,
  },
} as const satisfies Readonly<Record<string, Switch | ValueFlag<unknown>>>

/** Names of capabilities, separated by commas. */
function capabilities(value: string, name: string): readonly string[] {
  const given = value.split(',').map((part) => part.trim())
  const unknown = given.find((part) => !CAPABILITIES.includes(part))
  if (unknown !== undefined)
    throw new UsageError(`${name}: no capability '${unknown}': expected ${CAPABILITIES.join(', ')}`)
  return given
}
