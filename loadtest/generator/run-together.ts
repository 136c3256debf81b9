// Processes that make one run together: they end together, and never outlive this process.
import type { ChildProcess } from 'node:child_process'

/** The part of the errors of a process that is kept, in characters. */
const ERROR_CHARS = 2_000

/** The time for the start and the end of the processes, beyond the run itself. */
const SPARE_SECONDS = 60

export interface Together {
  /** The name of a process in an error. */
  readonly name: string
  /** The longest run, in seconds. */
  readonly seconds: number
  readonly signal: AbortSignal
  /** The exit codes of a process that made the run. */
  readonly succeeds: readonly number[]
  /** Makes the error; the message has what a process wrote to its standard error, and may contain secrets. */
  failed(message: string): Error
  /** Reads the standard output of a process until it ends. */
  read?(child: ChildProcess): Promise<void>
}

/** Resolves when all have ended. Throws the error of `failed`, or the reason of the signal if it is aborted. */
export async function runTogether(children: readonly ChildProcess[], together: Together): Promise<void> {
  const { name, signal, failed, read } = together
  const seconds = together.seconds + SPARE_SECONDS
  const kill = (): void => {
    for (const child of children) child.kill('SIGKILL')
  }
  const bound = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)])
  bound.addEventListener('abort', kill, { once: true })
  process.once('exit', kill)
  try {
    const ended = await Promise.allSettled(
      children.map((child) => Promise.all([untilEnded(child, together), read?.(child)])),
    )
    signal.throwIfAborted()
    if (bound.aborted) throw failed(`${name} did not end within ${seconds} s`)
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  } finally {
    kill()
    process.off('exit', kill)
    bound.removeEventListener('abort', kill)
  }
}

function untilEnded(child: ChildProcess, { name, succeeds, failed }: Together): Promise<void> {
  return new Promise((resolve, reject) => {
    let errors = ''
    child.stderr
      ?.setEncoding('utf8')
      .on('data', (piece: string) => (errors = (errors + piece).slice(-ERROR_CHARS)))
    child.on('error', (error) => reject(failed(`${name} did not start: ${error.message}`)))
    child.on('close', (code, by) => {
      if (code !== null && succeeds.includes(code)) resolve()
      else reject(failed(`${name} ended with ${by ?? `exit ${code}`}: ${errors.trim()}`))
    })
  })
}
