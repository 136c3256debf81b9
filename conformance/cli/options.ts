// Reads flags, environment and config file into validated options. A flag overrides the file. Credentials come from the
// environment or the file, never from a flag (KEY-10). An error is one line.
import { readCommandLine } from '../../harness/cli/command-line.ts'
import { type ValueFlag, valuesOf } from '../../harness/cli/flags.ts'
import type { Profile } from '../../harness/target-facts.ts'
import { catalogueVersion } from '../catalogue/catalogue-version.ts'
import { readConfigFile } from './config-file.ts'
import { type CredentialValues, credentialValues, readCredentials } from '../runner/credentials.ts'
import { type ConformanceOptions, DEFAULT_RUNS, type Environment } from '../runner/settings.ts'
import { type Command, JUDGE } from './commands.ts'
import { DEFAULT_GATEWAY_RUNS, DEFAULT_UPSTREAM_PORT } from '../gateways/gateway-settings.ts'
import { DEFAULT_CAPTURE_PORT, FLAGS, REPORT_FLAGS } from './flags.ts'
import type { RecordedSubject } from '../recordings/judge-recordings.ts'

/** Property cases of `mutants`: few, because the checks beside a property find nearly all of its faults. */
const DEFAULT_MUTANT_RUNS = 3

export type ReportFormat = keyof typeof REPORT_FLAGS

/** The command line: a command, and the options of a run. */
export interface Options extends ConformanceOptions {
  readonly command: Command
  /** The id to explain, the reports to compare, the words that start a client, or the shell. */
  readonly operands: readonly string[]
  /** The text to print, if help is requested. */
  readonly help: string | undefined
  /** `client` prints addresses instead of starting a program. */
  readonly serve: boolean
  /** `mutants` judges clients, or gateways. */
  readonly clients: boolean
  readonly gateways: boolean
  readonly version: boolean
  /** `run` prints its cost and sends nothing. */
  readonly plan: boolean
  /** The models to judge, one run after the other; empty: the first that the target lists. */
  readonly models: readonly string[]
  readonly profile: Profile
  readonly runs: number
  /** `mutants` judges generated servers instead of the hand-written ones, and only so many. */
  readonly derived: boolean
  readonly sample: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly credentials: CredentialValues
  /** Whose rows `recorded` judges; undefined: both. */
  readonly subject: RecordedSubject | undefined
  /** The port of `capture` or of the upstream of `gateway`, and the file of `capture`. */
  readonly listen: number
  readonly out: string | undefined
  /** The service behind a judged gateway. */
  readonly upstream: string | undefined
  /** The file for the exchanges of a run. */
  readonly capture: string | undefined
  /** Absolute files to write, by format. */
  readonly reports: Readonly<Partial<Record<ReportFormat, string>>>
}

/** Reads the command line (without the program's name). Throws `UsageError`. */
export function readOptions(args: readonly string[], env: Environment): Options {
  const { given, operands, help, ...line } = readCommandLine(JUDGE, args)
  const command = commandNamed(line.command)
  const config = valuesOf(given).one(FLAGS.config)
  const file = config === undefined ? undefined : readConfigFile(config, FLAGS)
  const { one, all, isOn } = valuesOf({ ...file?.flags, ...given })
  const credentials = credentialValues(env, file?.credentials ?? {})
  readCredentials(credentials)
  const catalogue = one(FLAGS.catalogue)
  catalogueVersion(catalogue, '--catalogue')
  const milliseconds = (flag: ValueFlag<number>): number | undefined => {
    const seconds = one(flag)
    return seconds === undefined ? undefined : seconds * 1000
  }
  return {
    command,
    operands,
    help,
    serve: isOn(FLAGS.serve),
    clients: isOn(FLAGS.clients),
    gateways: isOn(FLAGS.gateways),
    version: isOn(FLAGS.version),
    baseUrl: one(FLAGS.baseUrl),
    models: one(FLAGS.model) ?? [],
    profile: one(FLAGS.profile) ?? 'service',
    strict: isOn(FLAGS.strict),
    only: one(FLAGS.only),
    catalogue,
    seed: one(FLAGS.seed),
    quick: isOn(FLAGS.quick),
    plan: isOn(FLAGS.plan),
    runs: one(FLAGS.runs) ?? runsOf(command, isOn(FLAGS.quick)),
    derived: isOn(FLAGS.derived),
    sample: one(FLAGS.sample),
    baseline: one(FLAGS.baseline),
    allowIncomplete: isOn(FLAGS.allowIncomplete),
    require: one(FLAGS.require),
    limit: one(FLAGS.limit),
    concurrency: one(FLAGS.concurrency),
    timeoutMs: milliseconds(FLAGS.timeout),
    warmUpMs: milliseconds(FLAGS.warmUp),
    patienceMs: milliseconds(FLAGS.patience),
    maxRequests: one(FLAGS.maxRequests),
    maxTokensTotal: one(FLAGS.maxTokensTotal),
    requestsPerSecond: one(FLAGS.requestsPerSecond),
    subject: one(FLAGS.subject),
    listen: one(FLAGS.listen) ?? (command === 'gateway' ? DEFAULT_UPSTREAM_PORT : DEFAULT_CAPTURE_PORT),
    out: one(FLAGS.out),
    upstream: one(FLAGS.upstream),
    capture: one(FLAGS.capture),
    headers: Object.fromEntries(all(FLAGS.headers)),
    reports: Object.fromEntries(
      Object.entries(REPORT_FLAGS).flatMap(([format, flag]) => {
        const path = one(flag)
        return path === undefined ? [] : [[format, path]]
      }),
    ),
    credentials,
    token: file?.token,
    environment: env,
  }
}

/** The default number of cases of each property. */
function runsOf(command: Command, quick: boolean): number {
  if (quick) return 1
  if (command === 'gateway') return DEFAULT_GATEWAY_RUNS
  return command === 'mutants' ? DEFAULT_MUTANT_RUNS : DEFAULT_RUNS
}

function commandNamed(name: string): Command {
  return JUDGE.commands.find((command) => command.name === name)?.name ?? 'run'
}
