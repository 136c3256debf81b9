// Flags, environment and config file, read into validated options. Flags win over the file, and credentials come from
// the environment or the file, never from a flag (KEY-10). Whatever is wrong is one line.
import { parseArgs } from 'node:util'
import { redactKeys } from '../../spec/protocol/key.ts'
import { catalogueVersion } from '../catalogue/catalogue-version.ts'
import { readConfigFile } from './config-file.ts'
import { type CredentialValues, credentialValues, readCredentials } from './credentials.ts'
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
import { capabilities } from './capability-names.ts'
import { type ConformanceOptions, DEFAULT_RUNS, type Environment } from './settings.ts'
import type { Profile } from '../../harness/target-facts.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'

export const COMMANDS = ['run', 'list', 'explain', 'compare', 'mutants', 'client'] as const
export type Command = (typeof COMMANDS)[number]

/** Property cases of `mutants`, where the checks beside a property find what it would: its faults are seldom subtle. */
const DEFAULT_MUTANT_RUNS = 3

/** Every flag, as `parseArgs` and the config file know it. */
export const FLAGS = {
  'base-url': { type: 'string' },
  model: { type: 'string' },
  profile: { type: 'string' },
  strict: { type: 'boolean' },
  only: { type: 'string' },
  catalogue: { type: 'string' },
  seed: { type: 'string' },
  runs: { type: 'string' },
  baseline: { type: 'string' },
  'allow-incomplete': { type: 'boolean' },
  require: { type: 'string' },
  limit: { type: 'string' },
  concurrency: { type: 'string' },
  timeout: { type: 'string' },
  'max-requests': { type: 'string' },
  'requests-per-second': { type: 'string' },
  header: { type: 'string', multiple: true },
  json: { type: 'string' },
  junit: { type: 'string' },
  html: { type: 'string' },
  markdown: { type: 'string' },
  badge: { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const

export type FlagName = keyof typeof FLAGS

/** The reports that are written to a file, by their flag. */
export const REPORT_FLAGS = ['json', 'junit', 'html', 'markdown', 'badge'] as const
export type ReportFormat = (typeof REPORT_FLAGS)[number]

/** What the command line says: a command, and what a run is told. */
export interface Options extends ConformanceOptions {
  readonly command: Command
  /** What stands behind the command: the id to explain. */
  readonly operands: readonly string[]
  readonly help: boolean
  readonly version: boolean
  /** The models to judge, one run after the other; empty: the first that the target lists. */
  readonly models: readonly string[]
  readonly profile: Profile
  readonly runs: number
  readonly headers: Readonly<Record<string, string>>
  readonly credentials: CredentialValues
  /** Absolute files to write, by format. */
  readonly reports: Readonly<Partial<Record<ReportFormat, string>>>
}

/** Reads the command line (without the program's name). Throws `UsageError`. */
export function readOptions(args: readonly string[], env: Environment): Options {
  const { command, operands, flags } = readArguments(args)
  const file = flags.config === undefined ? undefined : readConfigFile(flags.config, Object.keys(FLAGS))
  const given = { ...file?.flags, ...flags }
  const read = <Value>(name: FlagName, parse: (text: string, name: string) => Value): Value | undefined => {
    const value = given[name]
    return typeof value === 'string' ? parse(value, `--${name}`) : undefined
  }
  const credentials = credentialValues(env, file?.credentials ?? {})
  readCredentials(credentials)
  const catalogue = read('catalogue', notEmpty)
  catalogueVersion(catalogue, '--catalogue')
  const timeout = read('timeout', whole(1, 3600))
  return {
    command,
    operands,
    help: given.help === true,
    version: given.version === true,
    baseUrl: read('base-url', httpAddress),
    models: read('model', names) ?? [],
    profile: read('profile', profile) ?? 'service',
    strict: given.strict === true,
    only: read('only', notEmpty),
    catalogue,
    seed: read('seed', whole(0, 0xffffffff)),
    runs: read('runs', whole(1, 100_000)) ?? (command === 'mutants' ? DEFAULT_MUTANT_RUNS : DEFAULT_RUNS),
    baseline: read('baseline', notEmpty),
    allowIncomplete: given['allow-incomplete'] === true,
    require: read('require', capabilities),
    limit: read('limit', requestLimit),
    concurrency: read('concurrency', whole(1, 64)),
    timeoutMs: timeout === undefined ? undefined : timeout * 1000,
    maxRequests: read('max-requests', whole(1, Number.MAX_SAFE_INTEGER)),
    requestsPerSecond: read('requests-per-second', perSecond),
    headers: Object.fromEntries([given.header ?? []].flat().map(headerLine)),
    reports: Object.fromEntries(
      REPORT_FLAGS.flatMap((name) => {
        const target = read(name, reportFile)
        return target === undefined ? [] : [[name, target]]
      }),
    ),
    credentials,
    token: file?.token,
    environment: env,
  }
}

/** Splits the arguments into the command, what stands behind it, and the flags. */
function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: FLAGS,
      strict: true,
      allowPositionals: true,
    })
    const [first = 'run', ...operands] = positionals
    const command = COMMANDS.find((name) => name === first)
    if (command === undefined)
      throw new UsageError(`there is no command '${first}': expected ${COMMANDS.join(', ')}`)
    const wanted = { run: 0, list: 0, explain: 1, compare: Infinity, mutants: 0, client: Infinity }[command]
    if (operands.length > wanted) throw new UsageError(`${command}: unexpected '${operands[wanted]}'`)
    return { command, operands, flags: values }
  } catch (error) {
    // A key may stand where a flag should. The first sentence names what is wrong; what follows is advice.
    if (error instanceof UsageError) throw new UsageError(redactKeys(error.message))
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s|\n/)
    throw new UsageError(redactKeys(line))
  }
}
