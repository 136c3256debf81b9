// Flags, environment and config file, read into validated options. Flags win over the file, and credentials come from
// the environment or the file, never from a flag (KEY-10). Whatever is wrong is one line.
import { parseArgs } from 'node:util'
import { redactKeys } from '../spec/key.ts'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import { type Credentials, readCredentials } from './credentials.ts'
import {
  capabilities,
  headerLine,
  notEmpty,
  profile,
  reportFile,
  requestLimit,
  rootAddress,
  whole,
} from './flag-values.ts'
import type { Profile, RequestLimit } from './target.ts'
import { UsageError } from './usage-error.ts'

export const COMMANDS = ['run', 'list', 'explain', 'compare', 'mutants', 'client'] as const
export type Command = (typeof COMMANDS)[number]

/** Property cases per check, requests under way at once, and seconds for one answer, where nothing is said. */
export const DEFAULT_RUNS = 50
/** For `mutants`, where the checks beside a property find what it would find: its faults are seldom subtle. */
const DEFAULT_MUTANT_RUNS = 3
const DEFAULT_CONCURRENCY = 4
const DEFAULT_TIMEOUT_SECONDS = 30

/** Every flag, as `parseArgs` and the config file know it. */
export const FLAGS = {
  'base-url': { type: 'string' },
  model: { type: 'string' },
  profile: { type: 'string' },
  strict: { type: 'boolean' },
  only: { type: 'string' },
  seed: { type: 'string' },
  runs: { type: 'string' },
  baseline: { type: 'string' },
  'allow-incomplete': { type: 'boolean' },
  require: { type: 'string' },
  limit: { type: 'string' },
  concurrency: { type: 'string' },
  timeout: { type: 'string' },
  'max-requests': { type: 'string' },
  header: { type: 'string', multiple: true },
  json: { type: 'string' },
  junit: { type: 'string' },
  html: { type: 'string' },
  markdown: { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

export type FlagName = keyof typeof FLAGS

/** The reports that are written to a file, by their flag. */
export const REPORT_FLAGS = ['json', 'junit', 'html', 'markdown'] as const
export type ReportFormat = (typeof REPORT_FLAGS)[number]

export interface Options {
  readonly command: Command
  /** What stands behind the command: the id to explain. */
  readonly operands: readonly string[]
  readonly help: boolean
  /** The root address, without `/v1`; undefined: the reference server is started. */
  readonly baseUrl: string | undefined
  readonly model: string | undefined
  readonly profile: Profile
  readonly strict: boolean
  readonly only: string | undefined
  /** Undefined: a random one is drawn and printed. */
  readonly seed: number | undefined
  readonly runs: number
  readonly baseline: string | undefined
  readonly allowIncomplete: boolean
  readonly require: readonly string[]
  readonly limit: RequestLimit | undefined
  readonly concurrency: number
  /** For one answer, in milliseconds. */
  readonly timeoutMs: number
  readonly maxRequests: number
  readonly headers: Readonly<Record<string, string>>
  /** Absolute files to write, by format. */
  readonly reports: Readonly<Partial<Record<ReportFormat, string>>>
  readonly credentials: Credentials
  readonly token: ConfigFile['token']
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the command line (without the program's name). Throws `UsageError`. */
export function readOptions(args: readonly string[], env: Environment): Options {
  const { command, operands, flags } = readArguments(args)
  const file = flags.config === undefined ? undefined : readConfigFile(flags.config, Object.keys(FLAGS))
  const given = { ...file?.flags, ...flags }
  const read = <Value>(name: FlagName, parse: (text: string, name: string) => Value): Value | undefined => {
    const value = given[name]
    return typeof value === 'string' ? parse(value, `--${name}`) : undefined
  }
  return {
    command,
    operands,
    help: given.help === true,
    baseUrl: read('base-url', rootAddress),
    model: read('model', notEmpty),
    profile: read('profile', profile) ?? 'service',
    strict: given.strict === true,
    only: read('only', notEmpty),
    seed: read('seed', whole(0, 0xffffffff)),
    runs: read('runs', whole(1, 100_000)) ?? (command === 'mutants' ? DEFAULT_MUTANT_RUNS : DEFAULT_RUNS),
    baseline: read('baseline', notEmpty),
    allowIncomplete: given['allow-incomplete'] === true,
    require: read('require', capabilities) ?? [],
    limit: read('limit', requestLimit),
    concurrency: read('concurrency', whole(1, 64)) ?? DEFAULT_CONCURRENCY,
    timeoutMs: (read('timeout', whole(1, 3600)) ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    maxRequests: read('max-requests', whole(1, Number.MAX_SAFE_INTEGER)) ?? Infinity,
    headers: Object.fromEntries([given.header ?? []].flat().map(headerLine)),
    reports: Object.fromEntries(
      REPORT_FLAGS.flatMap((name) => {
        const target = read(name, reportFile)
        return target === undefined ? [] : [[name, target]]
      }),
    ),
    credentials: readCredentials(env, file?.credentials ?? {}),
    token: file?.token,
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
