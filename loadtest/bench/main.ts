// npm run bench: runs the benchmarks that the command line names.
import { UsageError } from '../../harness/cli/usage-error.ts'
import { readOptions } from './options.ts'

try {
  const { help } = readOptions(process.argv.slice(2))
  if (help !== undefined) process.stdout.write(help)
  else await import('./run.ts')
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`bench: ${error.message}\n`)
  process.exitCode = 2
}
