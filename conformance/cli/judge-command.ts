// The judge's command line: prints, writes reports and exits with the code of the verdict.
import { fileURLToPath } from 'node:url'
import { readCredentials } from '../contract/credentials.ts'
import { versionLine } from '../../harness/program.ts'
import { commandSecrets } from '../../harness/secrets/known-secrets.ts'
import { createRedactor } from '../../harness/secrets/redact.ts'
import { Interrupted, interruptible } from '../../harness/cli/interruptible.ts'
import { bounds } from '../../harness/bounds/bounds.ts'
import { messageLine } from '../../harness/cli/text.ts'
import { endingWith } from '../../harness/cli/run-program.ts'
import { ownProcess } from '../../harness/containment.ts'
import { JUDGE } from './command-help.ts'
import { type Options, readOptions } from './judge-options.ts'

/** Knows every secret of this run: whatever is printed or written goes through it. Each command line has its own. */
let redactor = createRedactor()
const complain = (message: string): void =>
  void process.stderr.write(`conformance: ${redactor.text(message)}\n`)

/** The names of the errors that a person can fix; the stack of any other error is shown. */
const EXPECTED: ReadonlySet<string> = new Set(['UsageError', 'BaselineError', 'StartError'])

async function main(args: readonly string[]): Promise<number> {
  // Before anything can be wrong about them: an address of the command line may have a key.
  for (const word of args) redactor.addAddresses(word)
  const options = readOptions(args, process.env)
  // A bound that is out of its range is a wrong use, whatever the command reads.
  bounds()
  if (options.help !== undefined || options.version) {
    process.stdout.write(options.help ?? versionLine())
    return 0
  }
  redactor.addAddresses(options.baseUrl ?? '')
  redactor.addAddresses(options.upstream ?? '')
  redactor.addEnvironment(process.env)
  for (const secret of commandSecrets(options.operands)) redactor.add(secret)
  for (const secret of readCredentials(options.credentials).secrets.keys()) redactor.add(secret)
  // Each command is loaded when it is run: the checks alone are hundreds of modules.
  switch (options.command) {
    case 'check':
    case 'ci': {
      if (options.plan) return print((await import('./run-plan.ts')).plan(options))
      return interruptible(async (signal) => {
        if (options.command === 'ci')
          return (await import('./ci/ci-command.ts')).ci(options, signal, redactor, complain)
        const { run } = await import('./run-command.ts')
        return run(options, signal, redactor, complain)
      })
    }
    case 'list':
      return print((await import('./list.ts')).list(options))
    case 'explain':
      return interruptible(async (signal) => {
        const { explain } = await import('./explain/explain.ts')
        return explain(options, signal, redactor, complain)
      })
    case 'compare':
      return (await import('./compare-command.ts')).compare(options)
    case 'verify':
    case 'recorded': {
      const { judgesAgain, verify } = await import('./verify-command.ts')
      if (judgesAgain(options)) return verify(options)
      return interruptible(async (signal) => {
        const { recorded } = await import('./recorded-command.ts')
        return recorded(options, signal, redactor, complain)
      })
    }
    case 'capture':
      return (await import('./capture-command.ts')).capture(options, redactor)
    case 'gateway':
      return interruptible(async (signal) => {
        const { gateway } = await import('./gateway-command.ts')
        return gateway(options, signal, redactor, complain)
      })
    case 'pair':
      return interruptible(async (signal) => {
        const { pair } = await import('./client-command.ts')
        return pair(options, signal, redactor, complain)
      })
    case 'complete':
      return completeWords(options.operands, args)
    case 'client':
      return options.serve ? served(options) : interruptible((signal) => judgeClient(options, signal))
    case 'mutants': {
      const { mutants } = await import('../lab/mutants/mutants-command.ts')
      const flags = (words: readonly string[]): Options => readOptions(['mutants', ...words], {})
      return interruptible((signal) => mutants(options, flags, signal))
    }
  }
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

async function judgeClient(options: Options, signal: AbortSignal): Promise<number> {
  const { client } = await import('./client-command.ts')
  return client(options, signal, redactor, complain)
}

/** Serves clients until the first SIGINT or SIGTERM, which does not interrupt the run but requests the verdict. */
async function served(options: Options): Promise<number> {
  const controller = new AbortController()
  const end = (): void => controller.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  return judgeClient(options, controller.signal)
}

/** Prints the script of a shell, or completions: the scripts pass the words of a command line after `--`. */
async function completeWords(words: readonly string[], args: readonly string[]): Promise<number> {
  const { printCompletions, printScript } = await import('../../harness/cli/shell-completion.ts')
  const script = fileURLToPath(new URL('../cli.js', import.meta.url))
  if (args[1] === '--') printCompletions(JUDGE, words)
  else printScript(words[0], 'touchstone', `'${process.execPath}' '${script}'`)
  return 0
}

/** Does as a command line says, and prints why it cannot. Returns the exit code. */
export async function judgedBy(args: readonly string[]): Promise<number> {
  redactor = createRedactor()
  try {
    return await main(args)
  } catch (error) {
    if (error instanceof Interrupted) {
      complain('interrupted; everything that was made is revoked and stopped')
      return error.exitCode
    }
    const isExpected = error instanceof Error && EXPECTED.has(error.name)
    // The message may hold the text of a file or a service. Only the log of the server that the judge started has lines.
    const message = String(Object(error).message)
    const lines = Object(error).name === 'StartError' ? message.split('\n') : [message]
    complain(
      error instanceof Error && !isExpected
        ? (error.stack ?? error.message)
        : lines.map(messageLine).join('\n'),
    )
    if (process.env['GITHUB_ACTIONS'] === 'true' || process.env['GITHUB_STEP_SUMMARY'])
      (await import('./output.ts')).reportNoVerdict(redactor.text(messageLine(message)))
    return 2
  }
}

/** Judges as the command line of this process says. Only an entry calls it, once. */
export async function judge(): Promise<void> {
  // A reader that closes the pipe, as `head` does, is not an error of the judge.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  // Whatever nothing caught is an error of the judge, and never the verdict that exit code 1 would be.
  ownProcess(
    endingWith((error) => complain(`an error that nothing caught: ${String(Object(error).stack ?? error)}`)),
  )
  process.exitCode = await judgedBy(process.argv.slice(2))
  // Nothing may keep a finished judge from ending, as a case that was left behind would. But a reader such as `less` may take
  // its time for the output.
  process.stdout.write('', () => setTimeout(() => process.exit(), 1_000).unref())
}
