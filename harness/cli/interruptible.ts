// Stops a program on SIGINT and SIGTERM.

/** Ends a run that was interrupted; the exit code is the shell's for that signal. */
export class Interrupted extends Error {
  readonly exitCode: number

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super('interrupted')
    this.exitCode = signal === 'SIGINT' ? 130 : 143
  }
}

/**
 * Gives the first SIGINT or SIGTERM to the action, which then cleans up and reports its results so far; a second one
 * ends the process at once. Throws `Interrupted` at the end of an interrupted action, whether it succeeded or failed.
 */
export async function interruptible<Result>(
  action: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const interrupt = (name: 'SIGINT' | 'SIGTERM') => (): void => {
    const reason = new Interrupted(name)
    if (controller.signal.aborted) process.exit(reason.exitCode)
    controller.abort(reason)
  }
  const [onInt, onTerm] = [interrupt('SIGINT'), interrupt('SIGTERM')]
  process.on('SIGINT', onInt).on('SIGTERM', onTerm)
  try {
    const result = await action(controller.signal)
    controller.signal.throwIfAborted()
    return result
  } catch (error) {
    controller.signal.throwIfAborted()
    throw error
  } finally {
    process.off('SIGINT', onInt).off('SIGTERM', onTerm)
  }
}
