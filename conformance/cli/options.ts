// Flags, environment and config file, read into validated options. Flags win over the file, and credentials come from
// the environment or the file, never from a flag (KEY-10). Whatever is wrong is one line.
import { redactKeys } from '../../spec/protocol/key.ts'
import { type ValueFlag, checkCommand, parseFlags, valuesOf } from '../../harness/cli/flags.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Profile } from '../../harness/target-facts.ts'
import { catalogueVersion } from '../catalogue/catalogue-version.ts'
import { readConfigFile } from './config-file.ts'
import { type CredentialValues, credentialValues, readCredentials } from '../runner/credentials.ts'
import { type ConformanceOptions, DEFAULT_RUNS, type Environment } from '../runner/settings.ts'
import { FLAGS, REPORT_FLAGS } from './flags.ts'

/** The commands, with the most operands that each of them takes. */
const OPERANDS = { run: 0, list: 0, explain: 1, compare: Infinity, mutants: 0, client: Infinity } as const
export type Command = keyof typeof OPERANDS

/** Property cases of `mutants`, where the checks beside a property find what it would: its faults are seldom subtle. */
const DEFAULT_MUTANT_RUNS = 3

export type ReportFormat = keyof typeof REPORT_FLAGS

/** What the command line says: a command, and the options of a run. */
export interface Options extends ConformanceOptions {
  readonly command: Command
  /** What stands behind the command: the id to explain, the reports to compare, the words that start a client. */
  readonly operands: readonly string[]
  readonly help: boolean
  /** `client` starts no program. */
  readonly serve: boolean
  /** `mutants` judges clients. */
  readonly clients: boolean
  readonly version: boolean
  /** Say what the run would cost, and send nothing. */
  readonly plan: boolean
  /** The models to judge, one run after the other; empty: the first that the target lists. */
  readonly models: readonly string[]
  readonly profile: Profile
  readonly runs: number
  /** Of `mutants`: the derived servers in the place of the table, and how many of them are drawn. */
  readonly derived: boolean
  readonly sample: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly credentials: CredentialValues
  /** Absolute files to write, by format. */
  readonly reports: Readonly<Partial<Record<ReportFormat, string>>>
}

/** Reads the command line (without the program's name). Throws `UsageError`. */
export function readOptions(args: readonly string[], env: Environment): Options {
  const { given, positionals } = parseFlags(FLAGS, args)
  const { command, operands } = readCommand(positionals)
  checkCommand(FLAGS, given, command)
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
    help: isOn(FLAGS.help),
    serve: isOn(FLAGS.serve),
    clients: isOn(FLAGS.clients),
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

/** Cases of each property, where nothing is said. */
function runsOf(command: Command, quick: boolean): number {
  if (quick) return 1
  return command === 'mutants' ? DEFAULT_MUTANT_RUNS : DEFAULT_RUNS
}

/** The command and what stands behind it; a key may stand where either should. */
function readCommand([first = 'run', ...operands]: readonly string[]) {
  const isCommand = (name: string): name is Command => Object.hasOwn(OPERANDS, name)
  if (!isCommand(first))
    throw new UsageError(
      redactKeys(`there is no command '${first}': expected ${Object.keys(OPERANDS).join(', ')}`),
    )
  const extra = operands[OPERANDS[first]]
  if (extra !== undefined) throw new UsageError(redactKeys(`${first}: unexpected '${extra}'`))
  return { command: first, operands }
}
