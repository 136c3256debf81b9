// The options of a run that judges a client: their readers and defaults.
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { type StartClient, commandStarter } from '../../../harness/judged-program.ts'
import { commandSecrets } from '../../../harness/secrets/known-secrets.ts'
import type { Redactor } from '../../../harness/secrets/redact.ts'
import { programEnvironment } from '../../contract/environment/program-environment.ts'
import { type ConformanceOptions, type Environment, settingsOf } from '../../contract/settings.ts'

/** The options that have the same meaning as for a server. */
type SharedOptions = Pick<
  ConformanceOptions,
  'only' | 'seed' | 'quick' | 'strict' | 'baseline' | 'allowIncomplete' | 'bundle' | 'sign' | 'keep' | 'env'
>

/** The options of a run. Each has the default of the flag with its name. */
export interface ClientConformanceOptions extends SharedOptions {
  /** The words that start the program, without a shell. Placeholders such as `{base_url}` in them are replaced. */
  readonly command: readonly string[]
  /** The model that the program is asked to use. */
  readonly model?: string | undefined
  /** Programs side by side. Left out: twice the number of cores. */
  readonly concurrency?: number | undefined
  /** Time from the start of the program to its first request, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** The environment of the program. Left out: that of this process, without the keys of the judge. */
  readonly environment?: Environment | undefined
}

/** The estimate of a run. */
export interface ExpectedClientRun {
  readonly scenarios: number
  readonly seconds: number
  /** The duration of its longest answer, in seconds. */
  readonly longestSeconds: number
}

/** The events of a run, and the signal that ends it early. */
export interface ClientRunControl {
  readonly onBegin?: (command: readonly string[], seed: number, expected: ExpectedClientRun) => void
  readonly onProgress?: (done: number, total: number, doing: string) => void
  readonly signal?: AbortSignal | undefined
  /** The judge itself could not do something, such as writing a bundle. */
  readonly onFault?: (message: string) => void
}

/** The default model: any name works, because no model answers. */
const DEFAULT_MODEL = 'svc-0.1-8b'

/** The programs of a scenario that needs several at once, unless the concurrency is lower. */
const AT_ONCE = 16

/** The validated options, with their defaults. */
export type ClientSettings = Readonly<ReturnType<typeof clientSettings>>

/** Reads the options. Throws `UsageError`, naming the option at fault. */
export function clientSettings(options: Omit<ClientConformanceOptions, 'command'>) {
  const settings = settingsOf(options)
  const { model = DEFAULT_MODEL, concurrency } = settings
  return {
    ...settings,
    model,
    concurrency: concurrency ?? 2 * availableParallelism(),
    /** Programs of a scenario that needs several at once. */
    atOnce: Math.min(concurrency ?? AT_ONCE, AT_ONCE),
  }
}

/** The program of a run. Its secrets are hidden from now on. Throws `UsageError` if no words start it. */
export function programOf(
  { environment, env }: ClientSettings,
  command: readonly string[],
  redactor: Redactor,
): StartClient {
  if ((command[0] ?? '').trim() === '')
    throw new UsageError(
      'client: expected the command to judge after --, for example client -- node call.mjs; or --serve',
    )
  const [word = '', ...others] = command
  if (others.length === 0 && /\S\s+\S/.test(word) && !existsSync(word))
    throw new UsageError(
      `client: the command is one word, "${redactor.text(word)}", and no program has that name: leave its quotes out, for example client -- ${redactor.text(word)}`,
    )
  for (const secret of commandSecrets(command)) redactor.add(secret)
  return commandStarter(command, programEnvironment(environment, env))
}
