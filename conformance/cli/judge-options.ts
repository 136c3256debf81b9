// Reads flags, environment and config file into validated options. A flag overrides the file. Credentials come from the
// environment or the file, never from a flag (KEY-10). An error is one line.
import { readCommandLine } from '../../harness/cli/command-line.ts'
import { type Given, readFlags } from '../../harness/cli/flags.ts'
import { quoted } from '../../spec/protocol/key.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { checkSet } from '../contract/check-sets.ts'
import { readConfigFile } from './config-file.ts'
import { credentialValues, readCredentials } from '../contract/credentials.ts'
import {
  DEFAULT_GATEWAY_RUNS,
  DEFAULT_RUNS,
  DEFAULT_UPSTREAM_PORT,
  type Environment,
} from '../contract/settings.ts'
import { ciFlags } from './ci-flags.ts'
import { type Command, JUDGE } from './command-help.ts'
import { DEFAULT_CAPTURE_PORT, FLAGS } from './judge-flags.ts'

/** Property cases of `mutants`: few, because the checks beside a property find nearly all of its faults. */
const DEFAULT_MUTANT_RUNS = 3

/** The command line: a command, and the options of a run. */
export type Options = Readonly<ReturnType<typeof readOptions>>

/** Reads the command line (without the program's name). Throws `UsageError`. */
export function readOptions(args: readonly string[], env: Environment) {
  refuseTaken(env)
  const { given, operands, help, ...line } = readCommandLine(JUDGE, args)
  const command = JUDGE.commands.find(({ name }) => name === line.command)?.name ?? 'check'
  const { config } = readFlags({ config: FLAGS.config }, given)
  const file = config === undefined ? undefined : readConfigFile(config, FLAGS)
  const address = addressIn(command, operands, given)
  const chosen: Given = { ...file?.flags, ...given, ...address }
  const preset = command === 'ci' && help === undefined ? ciFlags(chosen) : {}
  const values = readFlags(FLAGS, { ...preset, ...chosen })
  const credentials = credentialValues(env, file?.credentials ?? {})
  readCredentials(credentials)
  checkSet(values.catalogue, '--catalogue')
  const milliseconds = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000)
  return {
    ...values,
    command,
    /** The id to explain, the reports to compare, the words that start a client, or the shell. */
    operands,
    /** The text to print, if help is requested. */
    help,
    /** The models to judge, one run after the other; empty: the first that the target lists. */
    models: values.models ?? [],
    runs: values.runs ?? runsOf(command, values.quick),
    timeoutMs: milliseconds(values.timeout),
    warmUpMs: milliseconds(values.warmUp),
    patienceMs: milliseconds(values.patience),
    waitMs: milliseconds(values.wait),
    listen: values.listen ?? (command === 'gateway' ? DEFAULT_UPSTREAM_PORT : DEFAULT_CAPTURE_PORT),
    headers: Object.fromEntries(values.headers),
    credentials,
    token: file?.token,
    environment: env,
  }
}

/** Flags whose names npm has no use for itself. */
const TAKEN_BY_NPM = [
  'base-url',
  'model',
  'profile',
  'tier',
  'quick',
  'seed',
  'baseline',
  'bundle',
  'catalogue',
]

/**
 * Throws `UsageError` for a flag that npm took, as in `npm run conformance --base-url URL`: without it the judge would judge the
 * reference server, and find it good.
 */
function refuseTaken(env: Environment): void {
  const taken = TAKEN_BY_NPM.find((name) => env[`npm_config_${name.replaceAll('-', '_')}`] !== undefined)
  if (taken !== undefined)
    throw new UsageError(
      `--${taken}: npm took this flag for its own; put -- before the flags: npm run conformance -- --${taken} …`,
    )
}

/** The address of a service among the operands. Throws `UsageError` if a flag names one too. */
function addressIn(command: Command, [address]: readonly string[], given: Given): Given {
  if (!['check', 'ci', 'capture'].includes(command) || address === undefined) return {}
  if (given['base-url'] === undefined) return { 'base-url': address }
  throw new UsageError(`--base-url: the address '${quoted(address, 100)}' is given too; expected one of them`)
}

function runsOf(command: Command, quick: boolean): number {
  if (quick) return 1
  if (command === 'gateway') return DEFAULT_GATEWAY_RUNS
  return command === 'mutants' ? DEFAULT_MUTANT_RUNS : DEFAULT_RUNS
}
