// The start of the server: reads the configuration before it loads the server, so that a wrong setting is reported at once.
import { isMainThread, workerData } from 'node:worker_threads'
import { UsageError } from '../harness/cli/usage-error.ts'
import { readConfig } from './config/config.ts'
import { fail, warn } from './config/start-lines.ts'
import { unknownVariables } from './config/unknown-variables.ts'
import { USAGE } from './config/settings-help.ts'

if (process.argv.includes('--help')) {
  process.stdout.write(USAGE)
} else {
  try {
    const config = readConfig(process.argv.slice(2), process.env)
    if (isMainThread) unknownVariables(process.env, config.upstream.keyVariables).forEach(warn)
    if (config.workers > 1 && isMainThread)
      await (await import('./workers/main-thread.ts')).runWorkers(config)
    else await (await import('./serve.ts')).serve(config, isMainThread ? undefined : workerData)
  } catch (error) {
    // Databases, Redis and metrics need packages that the judge's package omits.
    const missing = /^Cannot find package '([^']+)'/.exec(error instanceof Error ? error.message : '')?.[1]
    if (missing !== undefined) fail(`a setting needs the package ${missing}: run npm install ${missing}`)
    if (!(error instanceof UsageError)) throw error
    fail(error.message)
  }
}
