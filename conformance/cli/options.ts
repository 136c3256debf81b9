// Reads flags, environment and config file into validated options. A flag overrides the file. Credentials come from the
// environment or the file, never from a flag (KEY-10). An error is one line.
import { readCommandLine } from '../../harness/cli/command-line.ts'
import { type ValueFlag, valuesOf } from '../../harness/cli/flags.ts'
import { catalogueVersion } from '../catalogue/catalogue-version.ts'
import { readConfigFile } from './config-file.ts'
import { credentialValues, readCredentials } from '../runner/credentials.ts'
import { DEFAULT_RUNS, type Environment } from '../runner/settings.ts'
import { type Command, JUDGE } from './commands.ts'
import { DEFAULT_GATEWAY_RUNS, DEFAULT_UPSTREAM_PORT } from '../gateways/gateway-settings.ts'
import { DEFAULT_CAPTURE_PORT, FLAGS, REPORT_FLAGS } from './flags.ts'

/** Property cases of `mutants`: few, because the checks beside a property find nearly all of its faults. */
const DEFAULT_MUTANT_RUNS = 3

export type ReportFormat = keyof typeof REPORT_FLAGS

/** The command line: a command, and the options of a run. */
export type Options = Readonly<ReturnType<typeof readOptions>>

/** Reads the command line (without the program's name). Throws `UsageError`. */
export function readOptions(args: readonly string[], env: Environment) {
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
    /** The id to explain, the reports to compare, the words that start a client, or the shell. */
    operands,
    /** The text to print, if help is requested. */
    help,
    /** `client` prints addresses instead of starting a program. */
    serve: isOn(FLAGS.serve),
    /** `mutants` judges clients, or gateways. */
    clients: isOn(FLAGS.clients),
    gateways: isOn(FLAGS.gateways),
    version: isOn(FLAGS.version),
    baseUrl: one(FLAGS.baseUrl),
    /** The models to judge, one run after the other; empty: the first that the target lists. */
    models: one(FLAGS.model) ?? [],
    profile: one(FLAGS.profile) ?? 'service',
    strict: isOn(FLAGS.strict),
    only: one(FLAGS.only),
    catalogue,
    seed: one(FLAGS.seed),
    quick: isOn(FLAGS.quick),
    /** `run` prints its cost and sends nothing. */
    plan: isOn(FLAGS.plan),
    runs: one(FLAGS.runs) ?? runsOf(command, isOn(FLAGS.quick)),
    /** `mutants` judges generated servers instead of the hand-written ones, and only so many. */
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
    /** Whose rows `recorded` judges; undefined: both. */
    subject: one(FLAGS.subject),
    /** The port of `capture` or of the upstream of `gateway`, and the file of `capture`. */
    listen: one(FLAGS.listen) ?? (command === 'gateway' ? DEFAULT_UPSTREAM_PORT : DEFAULT_CAPTURE_PORT),
    out: one(FLAGS.out),
    /** The service behind a judged gateway. */
    upstream: one(FLAGS.upstream),
    /** The file for the exchanges of a run. */
    capture: one(FLAGS.capture),
    headers: Object.fromEntries(all(FLAGS.headers)),
    /** Absolute files to write, by format. */
    reports: reportFiles(one),
    credentials,
    token: file?.token,
    environment: env,
  }
}

function reportFiles(
  one: ReturnType<typeof valuesOf>['one'],
): Readonly<Partial<Record<ReportFormat, string>>> {
  const files = Object.entries(REPORT_FLAGS).map(([format, flag]) => [format, one(flag)])
  return Object.fromEntries(files.filter(([, file]) => file !== undefined))
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
