// npm run bench: runs the benchmark that the command line names.
import { UsageError } from '../../harness/cli/usage-error.ts'
import { readCommand } from './options.ts'

try {
  const { command, help } = readCommand(process.argv.slice(2))
  if (help !== undefined) process.stdout.write(help)
  else await import(command === 'llama' ? './llama/llama.ts' : './run.ts')
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`bench: ${error.message}\n`)
  process.exitCode = 2
}
