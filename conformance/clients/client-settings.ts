// The options of a run that judges a client, read, and what holds where one is left out.
import { availableParallelism } from 'node:os'
import { type Reader, notEmpty, whole } from '../../harness/cli/flag-values.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { CREDENTIAL_NAMES } from '../runner/credentials.ts'
import { DEFAULT_TIMEOUT_SECONDS, type Environment, READERS } from '../runner/settings.ts'

/** The options of a run. What is left out means what the flag of that name means when it is left out. */
export interface ClientConformanceOptions {
  /** The words that start the program: no shell reads them. `{base_url}` and its kin in them are replaced. */
  readonly command: readonly string[]
  /** The model that the program is told to ask for. */
  readonly model?: string | undefined
  /** A glob over the ids of checks and requirements; commas separate several. */
  readonly only?: string | undefined
  /** Of everything random, from 0 to 2^32 - 1; left out: drawn, and named in the report. */
  readonly seed?: number | undefined
  /** Programs side by side; left out: twice as many as the machine has cores. */
  readonly concurrency?: number | undefined
  /** From the start of the program to its first request, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** A SHOULD that does not hold fails. */
  readonly strict?: boolean | undefined
  /** A file of expected failures. */
  readonly baseline?: string | undefined
  /** A MUST that could not be judged does not change the exit code. */
  readonly allowIncomplete?: boolean | undefined
  /** The environment that the program is started in; left out: that of this process, without the judge's own keys. */
  readonly environment?: Environment | undefined
}

/** What is reported while a run goes on, and what ends it early. */
export interface ClientRunControl {
  readonly onBegin?: (command: readonly string[], seed: number) => void
  readonly onProgress?: (done: number, total: number, doing: string) => void
  readonly signal?: AbortSignal | undefined
}

/** The model that programs are told to ask for: any will do, as no model answers. */
const DEFAULT_MODEL = 'svc-0.1-8b'

/** Where a scenario wants several at once: how many, unless fewer are allowed side by side. */
export const AT_ONCE = 16

export interface ClientSettings {
  readonly model: string
  readonly only: string | undefined
  readonly seed: number | undefined
  readonly concurrency: number
  /** Programs of a scenario that wants several at once. */
  readonly atOnce: number
  readonly timeoutMs: number
  readonly strict: boolean
  readonly baseline: string | undefined
  readonly allowIncomplete: boolean
  readonly environment: Environment
}

/** Reads the options. Throws `UsageError`, naming the option at fault. */
export function clientSettings(options: Omit<ClientConformanceOptions, 'command'>): ClientSettings {
  const read = <Value>(name: keyof typeof options, reader: Reader<Value>): Value | undefined => {
    const value = options[name]
    return value === undefined ? undefined : reader(String(value), name)
  }
  const concurrency = read('concurrency', READERS.concurrency)
  return {
    model: read('model', notEmpty) ?? DEFAULT_MODEL,
    only: read('only', READERS.only),
    seed: read('seed', READERS.seed),
    concurrency: concurrency ?? 2 * availableParallelism(),
    atOnce: Math.min(concurrency ?? AT_ONCE, AT_ONCE),
    timeoutMs: read('timeoutMs', whole(1, 3_600_000)) ?? DEFAULT_TIMEOUT_SECONDS * 1000,
    strict: options.strict === true,
    baseline: read('baseline', READERS.baseline),
    allowIncomplete: options.allowIncomplete === true,
    environment: options.environment ?? process.env,
  }
}

/** The words of a command. Throws `UsageError` where there is none. */
export function commandWords(words: readonly string[]): readonly string[] {
  const [file = ''] = words
  if (file.trim() === '')
    throw new UsageError(
      'client: expected the command to judge behind --, as client -- node call.mjs; or --serve',
    )
  return words
}

/** The hosts of the scripted service: no proxy may stand between it and the program. */
const OWN_HOSTS = '127.0.0.1,127.0.0.2,localhost'

/** What the program finds in its environment beside what it is told: nothing of the judge's own. */
export function programEnvironment(environment: Environment): Environment {
  const own = new Set<string>(CREDENTIAL_NAMES)
  const kept = Object.entries(environment).filter(([name]) => !own.has(name))
  const direct = [environment['NO_PROXY'] ?? environment['no_proxy'], OWN_HOSTS]
    .filter((hosts) => hosts)
    .join(',')
  return { ...Object.fromEntries(kept), NO_PROXY: direct, no_proxy: direct }
}
