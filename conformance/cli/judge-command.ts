// The judge's command line: prints, writes reports and exits with the code of the verdict.
import { fileURLToPath } from 'node:url'
import { BaselineError } from '../contract/baseline.ts'
import { client } from './client-command.ts'
import { compare } from './compare-command.ts'
import { JUDGE } from './command-help.ts'
import { readCredentials } from '../contract/credentials.ts'
import { explain } from './explain.ts'
import { list } from './list.ts'
import { type Options, readOptions } from './judge-options.ts'
import { estimateOf, plan } from './run-plan.ts'
import { loadServer, loadSubjects } from '../subjects/index.ts'
import { complainer, printHeading, renderExpected, reported } from './output.ts'
import { versionLine } from '../../harness/program.ts'
import { shownAddress } from '../../harness/http/service-address.ts'
import { createRedactor } from '../../harness/redact.ts'
import { StartError } from '../../harness/reference-server.ts'
import { Interrupted, interruptible } from '../../harness/cli/interruptible.ts'
import { type RunControl, runConformance } from '../run-conformance.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { worstExitCode } from '../contract/verdict.ts'

/** Knows every secret of this run: whatever is printed or written goes through it. */
const redactor = createRedactor()
const complain = complainer(redactor)

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args, process.env)
  if (options.help !== undefined || options.version) {
    process.stdout.write(options.help ?? versionLine())
    return 0
  }
  for (const secret of readCredentials(options.credentials).secrets.keys()) redactor.add(secret)
  switch (options.command) {
    case 'run':
      if (options.plan) break
      return interruptible((signal) => run(options, signal))
    case 'compare':
      return compare(options)
    case 'verify':
      return (await import('./verify-command.ts')).verify(options)
    case 'capture':
      return (await import('./capture-command.ts')).capture(options)
    case 'recorded':
      return interruptible(async (signal) => {
        const { recorded } = await import('./recorded-command.ts')
        return recorded(options, signal, redactor)
      })
    case 'gateway':
      return interruptible(async (signal) => {
        const { gateway } = await import('./gateway-command.ts')
        return gateway(options, signal, redactor)
      })
    case 'complete':
      return completeWords(options.operands, args)
    case 'client':
      return options.serve ? served(options) : interruptible((signal) => client(options, signal, redactor))
  }
  // Not before the options are read: what is wrong with them is said at once. And a case that cannot be loaded is an
  // error of the suite, with its exit code.
  switch (options.command) {
    case 'run':
      process.stdout.write(await plan(options))
      return 0
    case 'list': {
      const { total } = await estimateOf(options)
      process.stdout.write(list(options, await loadSubjects(), total.requests))
      return 0
    }
    case 'explain': {
      const [server, subjects] = await Promise.all([loadServer(), loadSubjects()])
      const isCase = (id: string): boolean => server.catalogue.cases.some((one) => one.id === id)
      return interruptible((signal) =>
        explain(options, subjects, isCase, (only) =>
          runConformance({ ...options, model: options.models[0], only, signal, onFault: complain }, redactor),
        ),
      )
    }
    case 'mutants': {
      const { mutants } = await import('../lab/mutants/mutants-command.ts')
      const flags = (words: readonly string[]): Options => readOptions(['mutants', ...words], {})
      return interruptible((signal) => mutants(options, flags, signal))
    }
  }
}

/** Judges each model in turn, and returns the worst exit code. */
async function run(options: Options, signal: AbortSignal): Promise<number> {
  if (options.bundle !== undefined && options.models.length > 1)
    throw new UsageError('--bundle: a bundle has one run; name one model')
  const codes: number[] = []
  const run: RunControl = {
    signal,
    onBegin({ baseUrl, profile, model }, seed, expected) {
      const facts = [`profile ${profile}`, `model ${model}`, `seed ${seed}`]
      printHeading(shownAddress(baseUrl), facts, renderExpected(expected, options))
    },
    onFault: complain,
  }
  for (const model of options.models.length === 0 ? [undefined] : options.models) {
    const code = await reported(options, (onProgress) =>
      runConformance({ ...options, ...run, model, onProgress }, redactor),
    )
    codes.push(code)
    if (signal.aborted) break
  }
  return worstExitCode(codes)
}

/** Serves clients until the first SIGINT or SIGTERM, which does not interrupt the run but requests the verdict. */
async function served(options: Options): Promise<number> {
  const controller = new AbortController()
  const end = (): void => controller.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  return client(options, controller.signal, redactor)
}

/** Prints the script of a shell, or completions: the scripts pass the words of a command line after `--`. */
async function completeWords(words: readonly string[], args: readonly string[]): Promise<number> {
  const { printCompletions, printScript } = await import('../../harness/cli/shell-completion.ts')
  const script = fileURLToPath(new URL('../cli.js', import.meta.url))
  if (args[1] === '--') printCompletions(JUDGE, words)
  else printScript(words[0], 'touchstone', `'${process.execPath}' '${script}'`)
  return 0
}

// A reader that closes the pipe, as `head` does, is not an error of the judge.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (error instanceof Interrupted) {
    complain('interrupted; everything that was made is revoked and stopped')
    process.exitCode = error.exitCode
  } else {
    const expected = [UsageError, BaselineError, StartError].some((kind) => error instanceof kind)
    complain(
      error instanceof Error && !expected ? (error.stack ?? error.message) : String(Object(error).message),
    )
    process.exitCode = 2
  }
}
// Nothing may keep a finished judge from ending, as a case that was left behind would.
setTimeout(() => process.exit(), 1_000).unref()
