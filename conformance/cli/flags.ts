// The flags of the judge. An option of `ConformanceOptions` has the name that its flag has here, and the same reader.
// Whole, because the help, the documentation and a reader look for a flag in one table.
import { HELP_FLAG, type Switch, type ValueFlag } from '../../harness/cli/flags.ts'
import {
  headerLine,
  httpAddress,
  names,
  notEmpty,
  oneOf,
  reportFile,
  requestLimit,
  whole,
} from '../../harness/cli/flag-values.ts'
import type { RecordedSubject } from '../recordings/judge-recordings.ts'
import { DEFAULT_GATEWAY_RUNS, DEFAULT_UPSTREAM_PORT } from '../gateways/gateway-settings.ts'
import { CAPABILITIES } from '../target/capabilities.ts'
import {
  DEFAULT_PATIENCE_SECONDS,
  DEFAULT_RUNS,
  DEFAULT_TIMEOUT_SECONDS,
  DEFAULT_WARM_UP_SECONDS,
  READERS,
} from '../runner/settings.ts'

/** A flag of servers: commands without a server refuse it. The other commands accept it, so that scripts can share one list of flags. */
const OF_SERVERS = ['run', 'list', 'explain', 'compare', 'mutants', 'complete']

/** The same for flags that the judge of gateways has too. */
const OF_SERVERS_AND_GATEWAYS = [...OF_SERVERS, 'gateway']

/** The commands that run checks. */
const JUDGING = ['run', 'client', 'gateway', 'mutants']

/** The commands that give a verdict. */
const VERDICTS = ['run', 'client', 'gateway', 'recorded']

/** The port of `capture`, unless another one is given. */
export const DEFAULT_CAPTURE_PORT = 4100

function reportFlag(format: string, about: string, ...usedBy: readonly string[]) {
  return { usage: `--${format} FILE`, read: reportFile, about, usedBy }
}

/** The reports that are written to a file. */
export const REPORT_FLAGS = {
  json: {
    ...reportFlag('json', 'Write the report as JSON, for programs', ...VERDICTS, 'list', 'compare'),
    group: 'Reports',
  },
  junit: reportFlag('junit', 'Write the report as JUnit XML, for CI servers', ...VERDICTS),
  html: reportFlag(
    'html',
    'Write the report as one HTML page, which loads nothing from the network',
    ...VERDICTS,
    'compare',
  ),
  markdown: reportFlag('markdown', 'Write the report as Markdown', ...VERDICTS, 'compare', 'mutants'),
  badge: reportFlag(
    'badge',
    'Write the verdict as a badge endpoint for shields.io: the number of MUSTs that hold',
    ...VERDICTS,
  ),
} as const

export const FLAGS = {
  baseUrl: {
    usage: '--base-url URL',
    read: httpAddress,
    group: 'Target',
    about:
      'Root address of the service or the gateway, with or without `/v1`; for `recorded`, the service whose requests are judged',
    fallback: 'the reference server, which the judge starts; for `recorded`, the first recorded service',
    commands: [...OF_SERVERS_AND_GATEWAYS, 'capture', 'recorded'],
    usedBy: ['run', 'explain', 'gateway', 'capture', 'recorded'],
  },
  model: {
    usage: '--model ID',
    read: names,
    list: true,
    about: 'Model to judge; with several, for example `A,B`, the judge runs once for each',
    fallback: 'the first that `GET /v1/models` lists',
    usedBy: ['run', 'client', 'gateway', 'explain', 'mutants'],
  },
  profile: {
    usage: '--profile NAME',
    read: READERS.profile,
    choices: ['service', 'wire'],
    about: '`service`: the whole specification; `wire`: only the chat completions format',
    fallback: '`service`',
    commands: [...OF_SERVERS, 'recorded'],
    usedBy: ['run', 'list', 'explain', 'mutants', 'recorded'],
  },
  subject: {
    usage: '--subject NAME',
    read: oneOf<RecordedSubject>(['server', 'client']),
    choices: ['server', 'client'],
    about: 'Whose requirements are judged in a recording',
    fallback: 'both',
    commands: ['recorded'],
  },
  listen: {
    usage: '--listen PORT',
    read: whole(0, 65_535),
    about:
      'Port of this machine that `capture`, or the upstream of `gateway`, listens on; 0 takes a free one',
    fallback: `${DEFAULT_CAPTURE_PORT}; for \`gateway\`, ${DEFAULT_UPSTREAM_PORT}`,
    commands: ['capture', 'gateway'],
  },
  upstream: {
    usage: '--upstream URL',
    read: httpAddress,
    about:
      'Service behind the gateway: the format is judged through both, and each failure is attributed to one side',
    fallback: 'a scripted upstream',
    commands: ['gateway'],
  },
  out: {
    usage: '--out FILE',
    read: reportFile,
    about: 'File that `capture` creates and writes the exchanges to',
    commands: ['capture'],
  },
  capture: {
    usage: '--capture FILE',
    read: reportFile,
    about: 'Create this file and write every exchange of the run to it, for `recorded`',
    commands: ['run'],
    inFile: false,
  },
  headers: {
    usage: "--header 'NAME: VALUE'",
    read: headerLine,
    multiple: true,
    about:
      'Header to add to every request; may be repeated; reports hide its value if its name or its form is that of a credential',
    commands: OF_SERVERS_AND_GATEWAYS,
    usedBy: ['run', 'explain', 'gateway'],
  },
  limit: {
    usage: '--limit N/SECONDS',
    read: requestLimit,
    about: 'Rate limit of the limited key, for example `5/2` for 5 requests in 2 seconds',
    fallback: 'discovered',
    commands: OF_SERVERS,
    usedBy: ['run'],
  },
  serve: {
    usage: '--serve',
    about: 'Start no program; print an address for each scenario, and judge the received requests on Ctrl-C',
    commands: ['client'],
  },
  only: {
    usage: '--only PATTERN',
    read: notEmpty,
    list: true,
    group: 'Selection',
    about: "Glob over check and requirement ids, for example `'AUTH-*,wire.*'`",
    fallback: 'all',
    usedBy: [...JUDGING, 'list', 'recorded'],
  },
  catalogue: {
    usage: '--catalogue VERSION',
    read: notEmpty,
    about: 'Version of the catalogue to judge by; later checks are left out',
    fallback: 'the newest',
    commands: OF_SERVERS,
    usedBy: ['run', 'list', 'explain'],
  },
  seed: {
    usage: '--seed N',
    read: READERS.seed,
    about: 'Seed of all random values: the same seed sends the same requests',
    fallback: 'random; the report shows it',
    usedBy: [...JUDGING, 'explain'],
  },
  quick: {
    usage: '--quick',
    about:
      'Judge each requirement that is not optional by its cheapest check, with one generated case and always the same seed; for `gateway`, leave out the checks that wait',
    fallback: 'every check',
    usedBy: ['run', 'list', 'gateway'],
  },
  plan: {
    usage: '--plan',
    commands: ['run'],
    inFile: false,
    about: 'Print about how many requests and tokens the run costs, and send nothing',
  },
  runs: {
    usage: '--runs N',
    read: READERS.runs,
    about: 'Number of generated cases for each property',
    fallback: `${DEFAULT_RUNS}; ${DEFAULT_GATEWAY_RUNS} for \`gateway\`; 1 with \`--quick\`; 3 for \`mutants\``,
    commands: OF_SERVERS_AND_GATEWAYS,
    usedBy: ['run', 'list', 'gateway', 'mutants'],
  },
  clients: {
    usage: '--clients',
    about: 'Use the faulty clients instead of the faulty servers',
    commands: ['mutants'],
    inFile: false,
  },
  gateways: {
    usage: '--gateways',
    about: 'Use the faulty gateways instead of the faulty servers',
    commands: ['mutants'],
    inFile: false,
  },
  derived: {
    usage: '--derived',
    about: 'Use the generated faulty servers instead of the hand-written ones',
    commands: ['mutants'],
    inFile: false,
  },
  sample: {
    usage: '--sample N',
    read: whole(1, 100_000),
    about: 'Number of faulty servers to judge, drawn by the seed',
    fallback: 'all',
    commands: ['mutants'],
    inFile: false,
  },
  concurrency: {
    usage: '--concurrency N',
    read: READERS.concurrency,
    group: 'Bounds',
    about: 'Number of checks that run concurrently; for `client`, of programs',
    fallback: 'adapted to the service; for `client`, twice the number of cores',
    usedBy: JUDGING,
  },
  timeout: {
    usage: '--timeout SECONDS',
    read: whole(1, 3600),
    about:
      'Time limit for one answer, in seconds; one check has three times that, at least a minute; for `client`, the limit from the start of a program to its first request',
    fallback: DEFAULT_TIMEOUT_SECONDS,
    usedBy: [...JUDGING, 'explain'],
  },
  warmUp: {
    usage: '--warm-up SECONDS',
    read: whole(1, 3600),
    about: 'Time limit for the first chat answer, in seconds, because the service may have to load the model',
    fallback: DEFAULT_WARM_UP_SECONDS,
    commands: OF_SERVERS_AND_GATEWAYS,
    usedBy: ['run', 'explain', 'gateway'],
  },
  patience: {
    usage: '--patience SECONDS',
    read: whole(0, 86_400),
    about: 'Maximum wait, in seconds, for one request that is refused with a 429 or an enveloped 503',
    fallback: DEFAULT_PATIENCE_SECONDS,
    commands: OF_SERVERS,
    usedBy: ['run'],
  },
  maxRequests: {
    usage: '--max-requests N',
    read: READERS.maxRequests,
    about: 'Maximum number of requests of the run; checks that need more are inconclusive',
    fallback: 'unlimited',
    commands: OF_SERVERS,
    usedBy: ['run'],
  },
  maxTokensTotal: {
    usage: '--max-tokens-total N',
    read: READERS.maxTokensTotal,
    about:
      'Maximum number of tokens of the run, prompts and answers, as the service counts them; checks that need more are inconclusive',
    fallback: 'unlimited',
    commands: OF_SERVERS,
    usedBy: ['run'],
  },
  requestsPerSecond: {
    usage: '--requests-per-second N',
    read: READERS.requestsPerSecond,
    about: 'Maximum request rate, for example `0.5`; the bursts that exhaust the limited key are exempt',
    fallback: 'unlimited',
    commands: OF_SERVERS,
    usedBy: ['run'],
  },
  strict: {
    usage: '--strict',
    group: 'Verdict',
    about: 'Fail if a SHOULD does not hold',
    fallback: 'it warns',
    usedBy: VERDICTS,
  },
  require: {
    usage: '--require NAME,…',
    read: READERS.require,
    list: true,
    choices: CAPABILITIES,
    about: 'Capabilities that the service must have, for example `n,stop,echo`; a refused one fails',
    fallback: 'discovered',
    commands: OF_SERVERS,
    usedBy: ['run'],
  },
  baseline: {
    usage: '--baseline FILE',
    read: READERS.baseline,
    about: 'File of known failures, `[{"check","reason"}]`; an entry that passes fails the run',
    usedBy: VERDICTS,
  },
  allowIncomplete: {
    usage: '--allow-incomplete',
    about: 'Exit with 0 instead of 3 if a MUST could not be judged, provided that another one was',
    usedBy: VERDICTS,
  },
  ...REPORT_FLAGS,
  config: {
    usage: '--config FILE',
    read: notEmpty,
    group: 'General',
    about: 'JSON file with these flags as keys, and the credentials under the names of their variables',
    usedBy: [...JUDGING, 'list', 'explain', 'capture', 'recorded'],
    inFile: false,
  },
  help: HELP_FLAG,
  version: {
    usage: '--version',
    about: 'Print the versions of the judge and of its catalogue',
    inFile: false,
  },
} as const satisfies Readonly<Record<string, Switch | ValueFlag<unknown>>>
