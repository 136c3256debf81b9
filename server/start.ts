// The start of the server: reads the configuration before it loads the server, so that a wrong setting is reported at once.
import { isMainThread, workerData } from 'node:worker_threads'
import { UsageError } from '../harness/cli/usage-error.ts'
import { readConfig } from './config/config.ts'
import { fail, warn } from './config/start-lines.ts'
import { unknownVariables } from './config/unknown-variables.ts'
import { usageOf } from './config/settings-help.ts'
import type { ServeOptions } from './serve.ts'

interface StartOptions extends Pick<ServeOptions, 'announce'> {
  /** The command, for its help. */
  readonly command?: string
  /** Variables that the environment overrides. */
  readonly defaults?: Readonly<Record<string, string>>
}

/** Serves as the flags and the environment say. An invalid one ends the process with one line and exit code 2. */
export async function start(
  args: readonly string[],
  { command = 'npm start --', defaults = {}, announce }: StartOptions = {},
): Promise<void> {
  if (args.includes('--help')) return void process.stdout.write(usageOf(command))
  try {
    const config = readConfig(args, { ...defaults, ...process.env })
    if (isMainThread) unknownVariables(process.env, config.upstream.keyVariables).forEach(warn)
    if (config.workers > 1 && isMainThread)
      await (await import('./workers/main-thread.ts')).runWorkers(config)
    else
      await (
        await import('./serve.ts')
      ).serve(config, { worker: isMainThread ? undefined : workerData, announce })
  } catch (error) {
    // Databases, Redis and metrics need packages that the judge's package omits.
    const missing = /^Cannot find package '([^']+)'/.exec(error instanceof Error ? error.message : '')?.[1]
    if (missing !== undefined) fail(`a setting needs the package ${missing}: run npm install ${missing}`)
    if (!(error instanceof UsageError)) throw error
    fail(error.message)
  }
}
