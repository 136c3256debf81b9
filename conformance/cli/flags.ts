// The flags of the judge. Where a program can say the same, an option of `ConformanceOptions` has the name that a flag
// has here, and the same reader.
import { HELP_FLAG, type Switch, type ValueFlag } from '../../harness/cli/flags.ts'
import {
  headerLine,
  httpAddress,
  names,
  notEmpty,
  reportFile,
  requestLimit,
  whole,
} from '../../harness/cli/flag-values.ts'
import {
  DEFAULT_CONCURRENCY,
  DEFAULT_PATIENCE_SECONDS,
  DEFAULT_RUNS,
  DEFAULT_TIMEOUT_SECONDS,
  DEFAULT_WARM_UP_SECONDS,
  READERS,
} from '../runner/settings.ts'

/** What has no meaning for a program that calls a service. */
const NOT_OF_CLIENTS = ['run', 'list', 'explain', 'compare', 'mutants']

/** The reports that are written to a file. */
export const REPORT_FLAGS = {
  json: { usage: '--json FILE', read: reportFile, group: 'Reports', about: 'the report for programs' },
  junit: {
    usage: '--junit FILE',
    read: reportFile,
    about: 'the report for servers that show test results',
  },
  html: { usage: '--html FILE', read: reportFile, about: 'the report as one page that reaches no host' },
  markdown: { usage: '--markdown FILE', read: reportFile, about: 'the report as Markdown' },
  badge: {
    usage: '--badge FILE',
    read: reportFile,
    about: 'the verdict as an endpoint of shields.io: how many MUSTs hold of how many apply',
  },
} as const

export const FLAGS = {
  baseUrl: {
    usage: '--base-url URL',
    read: httpAddress,
    group: 'Target',
    about: 'the root address, with or without `/v1`',
    fallback: 'the reference server',
    commands: NOT_OF_CLIENTS,
  },
  model: {
    usage: '--model ID',
    read: names,
    list: true,
    about: 'the model; of several, as `A,B`, one after the other is judged',
    fallback: 'the first that `GET /v1/models` lists',
  },
  profile: {
    usage: '--profile NAME',
    read: READERS.profile,
    about: '`service`: the whole specification; `wire`: the chat completions format on any deployment',
    fallback: '`service`',
    commands: NOT_OF_CLIENTS,
  },
  headers: {
    usage: "--header 'NAME: VALUE'",
    read: headerLine,
    multiple: true,
    about: 'sent with every request; may be repeated, its value is in no report',
    commands: NOT_OF_CLIENTS,
  },
  limit: {
    usage: '--limit N/SECONDS',
    read: requestLimit,
    about: 'the limit of the limited key',
    fallback: 'discovered',
    commands: NOT_OF_CLIENTS,
  },
  serve: {
    usage: '--serve',
    about:
      '`client` starts no program: it prints an address for each scenario, and judges what was called on Ctrl-C',
    commands: ['client'],
  },
  only: {
    usage: '--only PATTERN',
    read: READERS.only,
    list: true,
    group: 'Selection',
    about: "a glob over ids of checks and requirements, as `'AUTH-*'` or `'wire.*'`; commas separate several",
    fallback: 'all',
  },
  catalogue: {
    usage: '--catalogue VERSION',
    read: notEmpty,
    about: 'leaves out the checks that came after this version of the catalogue',
    fallback: 'the newest',
    commands: NOT_OF_CLIENTS,
  },
  seed: {
    usage: '--seed N',
    read: READERS.seed,
    about: 'of everything random: same seed, same requests',
    fallback: 'drawn, printed',
  },
  quick: {
    usage: '--quick',
    about:
      'judges each requirement by one check, the cheapest, with one case of each property and the same seed',
    fallback: 'every check',
  },
  plan: {
    usage: '--plan',
    commands: ['run'],
    inFile: false,
    about: 'prints about how many requests and tokens the run would cost, and sends nothing',
  },
  runs: {
    usage: '--runs N',
    read: READERS.runs,
    about: 'cases of each property',
    fallback: `${DEFAULT_RUNS}; 1 with \`--quick\``,
    commands: NOT_OF_CLIENTS,
  },
  clients: {
    usage: '--clients',
    about: 'the faulty clients, in the place of the servers',
    fallback: 'the servers',
    commands: ['mutants'],
    inFile: false,
  },
  derived: {
    usage: '--derived',
    about: 'the servers that are derived, field by operator by place, in the place of the table',
    fallback: 'the table',
    commands: ['mutants'],
    inFile: false,
  },
  sample: {
    usage: '--sample N',
    read: whole(1, 100_000),
    about: 'servers that are drawn by the seed',
    fallback: 'all',
    commands: ['mutants'],
    inFile: false,
  },
  concurrency: {
    usage: '--concurrency N',
    read: READERS.concurrency,
    group: 'Bounds',
    about: 'cases at once; of `client`, programs side by side',
    fallback: `${DEFAULT_CONCURRENCY}; of \`client\`, twice the cores`,
  },
  timeout: {
    usage: '--timeout SECONDS',
    read: whole(1, 3600),
    about:
      'for one answer; a check may take three times that, at least a minute; of `client`, for the start up to the first request',
    fallback: DEFAULT_TIMEOUT_SECONDS,
  },
  warmUp: {
    usage: '--warm-up SECONDS',
    read: whole(1, 3600),
    about: 'for the first chat answer, which may have to load a model; at least that of `--timeout`',
    fallback: DEFAULT_WARM_UP_SECONDS,
    commands: NOT_OF_CLIENTS,
  },
  patience: {
    usage: '--patience SECONDS',
    read: whole(0, 86_400),
    about: 'waited at most for one request that is refused with a 429 or an enveloped 503',
    fallback: DEFAULT_PATIENCE_SECONDS,
    commands: NOT_OF_CLIENTS,
  },
  maxRequests: {
    usage: '--max-requests N',
    read: READERS.maxRequests,
    about: 'for the whole run; what would need more is inconclusive',
    fallback: 'no bound',
    commands: NOT_OF_CLIENTS,
  },
  maxTokensTotal: {
    usage: '--max-tokens-total N',
    read: READERS.maxTokensTotal,
    about:
      'prompts and answers of the whole run, as the target counts them; what would need more is inconclusive',
    fallback: 'no bound',
    commands: NOT_OF_CLIENTS,
  },
  requestsPerSecond: {
    usage: '--requests-per-second N',
    read: READERS.requestsPerSecond,
    about: 'begun at most, as `0.5`; bursts that exhaust the limited key are left alone',
    fallback: 'no bound',
    commands: NOT_OF_CLIENTS,
  },
  strict: {
    usage: '--strict',
    group: 'Verdict',
    about: 'a SHOULD that does not hold fails',
    fallback: 'it warns',
  },
  require: {
    usage: '--require NAME,…',
    read: READERS.require,
    list: true,
    about: 'capabilities that the target is declared to have, as `n,stop,echo`: one that it refuses fails',
    fallback: 'discovered',
    commands: NOT_OF_CLIENTS,
  },
  baseline: {
    usage: '--baseline FILE',
    read: READERS.baseline,
    about: 'expected failures, `[{"check","reason"}]`; an entry that passes fails the run',
  },
  allowIncomplete: {
    usage: '--allow-incomplete',
    about: 'a MUST that could not be judged does not change the exit code, where another one was judged',
    fallback: 'exit code 3',
  },
  ...REPORT_FLAGS,
  config: {
    usage: '--config FILE',
    read: notEmpty,
    group: 'General',
    about: 'JSON with these flags as keys, and the credentials under their names',
    inFile: false,
  },
  help: HELP_FLAG,
  version: {
    usage: '--version',
    about: 'the versions of the judge and of its catalogue',
    inFile: false,
  },
} as const satisfies Readonly<Record<string, Switch | ValueFlag<unknown>>>
