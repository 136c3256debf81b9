// Runs the program of a command line: prints its help, sets the exit code of this process, and reports an error.
import { Interrupted, interruptible } from './interruptible.ts'
import { ownProcess } from '../containment.ts'
import { messageLine } from './text.ts'
import { UsageError } from './usage-error.ts'

interface Program<Options> {
  /** The text before each error. */
  readonly name: string
  /** Reads the arguments; `help` is the text to print instead of running. */
  read(args: readonly string[]): Options
  /** Resolves to the exit code. */
  run(options: Options, signal: AbortSignal): Promise<number> | number
  /** Errors that are for a person to fix; the stack of any other error is shown. */
  readonly expected?: readonly (abstract new (...args: never[]) => Error)[]
  /** Makes the text of an error safe to print. */
  readonly safe: (text: string) => string
}

/** Reports an error that nothing caught, and ends the process with exit code 2, because its state is unknown. */
export const endingWith =
  (complain: (error: unknown) => void) =>
  (error: unknown): never => {
    complain(error)
    process.exit(2)
  }

/** Runs the program until it ends or is interrupted. The exit code is 2 if it throws. */
export async function runProgram<Options extends { readonly help: string | undefined }>(
  program: Program<Options>,
): Promise<void> {
  const { name, expected = [], safe } = program
  const complain = (text: string): void => void process.stderr.write(`${name}: ${safe(text)}\n`)
  ownProcess(endingWith((error) => complain(String(Object(error).stack ?? error))))
  try {
    process.exitCode = await interruptible(async (signal) => {
      const options = program.read(process.argv.slice(2))
      if (options.help === undefined) return program.run(options, signal)
      process.stdout.write(options.help)
      return 0
    })
  } catch (error) {
    const isExpected = [UsageError, Interrupted, ...expected].some((kind) => error instanceof kind)
    // The message may hold the text of a file or a service.
    const text =
      error instanceof Error && isExpected ? messageLine(error.message) : String(Object(error).stack ?? error)
    complain(text)
    process.exitCode = error instanceof Interrupted ? error.exitCode : 2
  }
}
