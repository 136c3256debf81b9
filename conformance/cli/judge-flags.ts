// The flags of the judge. An option of `ConformanceOptions` has the name that its flag has here, and the same reader.
// Whole, because the help, the documentation and a reader look for a flag in one table.
import { HELP_FLAG, flag, type Flags } from '../../harness/cli/flags.ts'
import * as read from '../../harness/cli/flag-values.ts'
import {
  DEFAULT_GATEWAY_RUNS,
  DEFAULT_PATIENCE_SECONDS,
  DEFAULT_RUNS,
  DEFAULT_TIMEOUT_SECONDS,
  DEFAULT_UPSTREAM_PORT,
  DEFAULT_WARM_UP_SECONDS,
  FIXED_SEED,
  READERS,
  type RecordedSubject,
} from '../contract/settings.ts'
import { DEFAULT_CI_BASELINE, DEFAULT_CI_FOLDER } from './ci-flags.ts'
import { CAPABILITIES } from '../contract/capabilities.ts'
import { TIERS } from '../../spec/catalogue/section.ts'

/** The commands that judge a service: `ci` is `check` with other defaults. */
const CHECKS = ['check', 'ci']

/** A flag of servers: commands without a server refuse it. The other commands accept it, so that scripts can share one list of flags. */
const OF_SERVERS = [...CHECKS, 'list', 'explain', 'compare', 'mutants', 'complete']

/** These flags are those that the judge of gateways has too. */
const OF_SERVERS_AND_GATEWAYS = [...OF_SERVERS, 'gateway']

const OF_MUTANTS = { commands: ['mutants'], inFile: false } as const

const JUDGING = [...CHECKS, 'client', 'gateway', 'pair', 'mutants']

/** The commands that judge a file. */
const OF_FILES = ['recorded', 'verify']

const VERDICTS = [...CHECKS, 'client', 'gateway', 'pair', ...OF_FILES]

export const DEFAULT_CAPTURE_PORT = 4100

function reportFlag(format: string, about: string, ...usedBy: readonly string[]) {
  return flag(`--${format} FILE`, read.reportFile).with({ usedBy }).means(about)
}

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
  issues: flag('--issues DIR', read.notEmpty)
    .with({ commands: [...CHECKS, 'client', 'gateway', 'pair'] })
    .means('Write each finding as Markdown for the maintainers of the service, a file each, to this folder'),
} as const

/** A bound of a whole run. */
const BUDGET = { fallback: 'unlimited', commands: OF_SERVERS, usedBy: CHECKS }

export const FLAGS = {
  baseUrl: flag('--base-url URL', read.httpAddress)
    .with({
      group: 'Target',
      fallback: 'the reference server, which the judge starts; for `recorded`, the first recorded service',
      commands: [...OF_SERVERS_AND_GATEWAYS, 'pair', 'capture', ...OF_FILES],
      usedBy: [...CHECKS, 'explain', 'gateway', 'pair', 'capture', ...OF_FILES],
    })
    .means(
      'Address of the service or the gateway, with or without `/v1`; one that ends in another version, for example `/api/v3`, or under which the service answers, is used as it is, and a query stays on every request; for `recorded`, the service whose requests are judged',
    ),
  authHeader: flag('--auth-header NAME', READERS.authHeader)
    .with({
      fallback: '`Authorization`, with `Bearer` before the key',
      commands: OF_SERVERS_AND_GATEWAYS,
      usedBy: [...CHECKS, 'explain', 'gateway'],
    })
    .means(
      'Header to send the key in, for example `api-key`; checks of `Authorization` are then not applicable',
    ),
  models: flag('--model ID', read.names)
    .with({
      list: true,
      fallback: 'the first that `GET /v1/models` lists',
      usedBy: [...CHECKS, 'client', 'gateway', 'pair', 'explain', 'mutants'],
    })
    .means('Model to judge; with several, for example `A,B`, the judge runs once for each'),
  puppet: flag('--puppet FILE', read.notEmpty)
    .with({ fallback: 'the texts of the model are unknown', commands: OF_SERVERS, usedBy: CHECKS })
    .means(
      'Description of a puppet, which `touchstone puppets` wrote, of the judged model: its calls and thoughts are known, and so the parsers of the engine are judged',
    ),
  profile: flag('--profile NAME', READERS.profile)
    .with({
      choices: ['service', 'wire'],
      default: 'service',
      commands: [...OF_SERVERS, ...OF_FILES],
      usedBy: [...CHECKS, 'list', 'explain', 'mutants', ...OF_FILES],
    })
    .means('`service`: the whole specification; `wire`: only the chat completions format'),
  subject: flag('--subject NAME', read.oneOf<RecordedSubject>(['server', 'client']))
    .with({ choices: ['server', 'client'], fallback: 'both', commands: OF_FILES })
    .means('The side of a recording that is judged: the server or the client'),
  listen: flag('--listen PORT', read.whole(0, 65_535))
    .with({
      fallback: `${DEFAULT_CAPTURE_PORT}; for \`gateway\`, ${DEFAULT_UPSTREAM_PORT}`,
      commands: ['capture', 'gateway'],
    })
    .means(
      'Port of this machine that `capture`, or the upstream of `gateway`, listens on; 0 takes a free one',
    ),
  upstream: flag('--upstream URL', read.httpAddress)
    .with({ fallback: 'a scripted upstream', commands: ['gateway'] })
    .means(
      'Service behind the gateway: the format is judged through both, and each failure is attributed to one side',
    ),
  out: flag('--out PATH', read.notEmpty)
    .with({ commands: ['capture', 'ci'], fallback: `for \`ci\`, \`${DEFAULT_CI_FOLDER}\`` })
    .means('File that `capture` creates and writes the exchanges to; for `ci`, the folder of its reports'),
  capture: flag('--capture FILE', read.reportFile)
    .with({ commands: CHECKS, inFile: false })
    .means('Create this file and write every exchange of the run to it, for `recorded`'),
  bundle: flag('--bundle FILE', read.reportFile)
    .with({ commands: [...CHECKS, 'client', 'gateway', 'explain'], inFile: false })
    .means(
      'Write the report and the recording of the run to one file, which `verify` judges again; for `explain`, the same as `--recording`',
    ),
  recording: flag('--recording FILE', read.notEmpty)
    .with({ commands: ['explain'], inFile: false })
    .means('Show the exchanges of this bundle, capture or HAR'),
  againstCurrent: flag('--against-current')
    .with({ commands: ['verify'], inFile: false })
    .means(
      'Count a changed outcome alone: a check that sends other requests since the recording, or that was removed, is only listed',
    ),
  sign: flag('--sign KEYFILE', read.notEmpty)
    .with({ commands: [...CHECKS, 'client', 'gateway'], fallback: 'not signed', inFile: false })
    .means('Sign the bundle with this private key of Ed25519, in PEM'),
  headers: flag("--header 'NAME: VALUE'", read.headerLine)
    .with({ multiple: true, commands: OF_SERVERS_AND_GATEWAYS, usedBy: [...CHECKS, 'explain', 'gateway'] })
    .means(
      'Header to add to every request; may be repeated; reports hide its value if its name or its form is that of a credential',
    ),
  keep: flag('--keep NAME', read.headerName)
    .with({ multiple: true, commands: [...CHECKS, 'client', 'gateway', 'capture'] })
    .means(
      'Header whose value a capture or a bundle shows although its name is that of a credential; may be repeated; the keys of the run stay hidden in it',
    ),
  env: flag('--env NAME', read.notEmpty)
    .with({ multiple: true, commands: ['client', 'pair'] })
    .means(
      'Variable of the environment that the program gets besides those that every program needs; may be repeated',
    ),
  limit: flag('--limit N/SECONDS', read.requestLimit)
    .with({ fallback: 'discovered', commands: OF_SERVERS, usedBy: CHECKS })
    .means('Rate limit of the limited key, for example `5/2` for 5 requests in 2 seconds'),
  serve: flag('--serve')
    .with({ commands: ['client'] })
    .means('Start no program; print an address for each scenario, and judge the received requests on Ctrl-C'),
  only: flag('--only PATTERN', read.notEmpty)
    .with({ list: true, group: 'Selection', fallback: 'all', usedBy: [...JUDGING, 'list', ...OF_FILES] })
    .means("Glob over check and requirement ids, for example `'AUTH-*,wire.*'`"),
  tier: flag('--tier NAME', READERS.tier)
    .with({
      choices: TIERS,
      fallback: 'both',
      commands: [...OF_SERVERS_AND_GATEWAYS, ...OF_FILES],
      usedBy: [...CHECKS, 'list', 'gateway', ...OF_FILES, 'mutants'],
    })
    .means(
      '`interop`: only the requirements by which a valid request works and its answer can be read; `strict`: only the others, such as refusals of invalid requests',
    ),
  catalogue: flag('--catalogue DATE', read.notEmpty)
    .with({ fallback: 'every check', commands: OF_SERVERS, usedBy: [...CHECKS, 'list', 'explain'] })
    .means(
      'Dated set of checks that decide the verdict, for example `2026-12`: later checks run, and are not scored',
    ),
  seed: flag('--seed N', READERS.seed)
    .with({
      fallback: `random, and shown in the report; ${FIXED_SEED} with \`--quick\` and in CI (\`CI=true\`)`,
      usedBy: [...JUDGING, 'explain'],
    })
    .means('Seed of all random values, or `random`: the same seed sends the same requests'),
  quick: flag('--quick')
    .with({ fallback: 'every check', usedBy: [...CHECKS, 'list', 'client', 'gateway'] })
    .means(
      'Judge each requirement that is not optional by the checks that find most on the servers of the public record for the fewest requests, with one generated case and always the same seed; for `gateway`, leave out the checks that wait, and for `client` the stream of a minute and a half',
    ),
  plan: flag('--plan')
    .with({ commands: CHECKS, inFile: false })
    .means('Print about how many requests and tokens the run costs, and send nothing'),
  runs: flag('--runs N', READERS.runs)
    .with({
      fallback: `${DEFAULT_RUNS}; ${DEFAULT_GATEWAY_RUNS} for \`gateway\`; 1 with \`--quick\`; 3 for \`mutants\``,
      commands: OF_SERVERS_AND_GATEWAYS,
      usedBy: [...CHECKS, 'list', 'gateway', 'mutants'],
    })
    .means('Number of generated cases for each property'),
  clients: flag('--clients').with(OF_MUTANTS).means('Use the faulty clients instead of the faulty servers'),
  gateways: flag('--gateways')
    .with(OF_MUTANTS)
    .means('Use the faulty gateways instead of the faulty servers'),
  derived: flag('--derived')
    .with(OF_MUTANTS)
    .means('Use the generated faulty servers instead of the hand-written ones'),
  sample: flag('--sample N', read.whole(1, 100_000))
    .with({ fallback: 'all', ...OF_MUTANTS })
    .means('Number of faulty servers to judge, drawn by the seed'),
  concurrency: flag('--concurrency N', READERS.concurrency)
    .with({
      group: 'Bounds',
      fallback: 'adapted to the service; for `client` and `pair`, twice the number of cores',
      usedBy: JUDGING,
    })
    .means('Number of checks that run concurrently; for `client` and `pair`, of programs'),
  timeout: flag('--timeout SECONDS', read.whole(1, 3600))
    .with({ fallback: DEFAULT_TIMEOUT_SECONDS, usedBy: [...JUDGING, 'explain'] })
    .means(
      'Time limit for one answer, from the request to its last byte, in seconds; one check has three times that, at least a minute; for `client`, the limit from the start of a program to its first request; for `pair`, the limit for a program, by default 60',
    ),
  wait: flag('--wait SECONDS', read.whole(0, 86_400))
    .with({ fallback: 'the service has to answer at once', commands: CHECKS })
    .means('Maximum wait, in seconds, until a service that still starts answers'),
  warmUp: flag('--warm-up SECONDS', read.whole(1, 3600))
    .with({
      fallback: `${DEFAULT_WARM_UP_SECONDS}; for a service, \`--timeout\` if that is given`,
      commands: OF_SERVERS_AND_GATEWAYS,
      usedBy: [...CHECKS, 'explain', 'gateway'],
    })
    .means(
      'Time limit for the first byte of the first chat answer, in seconds, because the service may have to load the model',
    ),
  patience: flag('--patience SECONDS', read.whole(0, 86_400))
    .with({ fallback: DEFAULT_PATIENCE_SECONDS, commands: OF_SERVERS, usedBy: CHECKS })
    .means('Maximum wait, in seconds, for one request that is refused with a 429 or an enveloped 503'),
  maxRequests: flag('--max-requests N', READERS.maxRequests)
    .with(BUDGET)
    .means('Maximum number of requests of the run; checks that need more are inconclusive'),
  maxTokensTotal: flag('--max-tokens-total N', READERS.maxTokensTotal)
    .with(BUDGET)
    .means(
      'Maximum number of tokens of the run, prompts and answers, as the service counts them; checks that need more are inconclusive',
    ),
  maxMinutes: flag('--max-minutes N', READERS.maxMinutes)
    .with(BUDGET)
    .means(
      'Maximum duration of the run, in minutes, for example `10`: the checks of each MUST come first, those with many requests last, and what was not judged by then is inconclusive',
    ),
  requestsPerSecond: flag('--requests-per-second N', READERS.requestsPerSecond)
    .with(BUDGET)
    .means('Maximum request rate, for example `0.5`; the bursts that exhaust the limited key are exempt'),
  strict: flag('--strict')
    .with({ group: 'Verdict', fallback: 'it warns', usedBy: VERDICTS })
    .means('Fail if a SHOULD does not hold'),
  require: flag('--require NAME,…', READERS.require)
    .with({
      list: true,
      choices: CAPABILITIES,
      fallback: 'discovered',
      commands: OF_SERVERS,
      usedBy: CHECKS,
    })
    .means('Capabilities that the service must have, for example `n,stop,echo`; a refused one fails'),
  baseline: flag('--baseline FILE', READERS.baseline)
    .with({
      usedBy: VERDICTS,
      fallback: `for \`ci\`, \`${DEFAULT_CI_BASELINE}\`, which its first run writes`,
    })
    .means(
      'File of known failures, `[{"check","reason"}]`, with `"outcome":"not-applicable"` of what is not offered, and with `"outcome":"warn"` of a SHOULD that will not be held; an entry that passes fails the run',
    ),
  writeBaseline: flag('--write-baseline FILE', read.replacedFile)
    .with({ usedBy: VERDICTS, inFile: false })
    .means(
      'Write a baseline of what fails and what is not offered, in which a person gives the reasons; an existing file is replaced as a whole',
    ),
  allowIncomplete: flag('--allow-incomplete')
    .with({ usedBy: VERDICTS })
    .means('Exit with 0 instead of 3 if a MUST could not be judged, provided that another one was'),
  allowStale: flag('--allow-stale')
    .with({ commands: CHECKS })
    .means('Exit with 0 instead of 1 if an entry of the baseline passes'),
  ...REPORT_FLAGS,
  config: flag('--config FILE', read.notEmpty)
    .with({
      group: 'General',
      usedBy: [...JUDGING, 'list', 'explain', 'capture', ...OF_FILES],
      inFile: false,
    })
    .means('JSON file with these flags as keys, and the credentials under the names of their variables'),
  help: HELP_FLAG,
  version: flag('--version')
    .with({ inFile: false })
    .means('Print the versions of the judge and of its catalogue'),
} as const satisfies Flags
