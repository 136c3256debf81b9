// An error that the caller has to correct: the judge prints one line and ends with exit code 2.
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The code of an error of the operating system. */
const codeOf = (error: unknown): unknown => Object(error).code

/** Why a program cannot listen on a port. */
export function whyNotListening(error: unknown, port: number): string {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `port ${port} is in use`
    case 'EACCES':
      return `port ${port} needs more rights than this user has`
    default:
      return error instanceof Error ? error.message : String(error)
  }
}

/** Why a program cannot be started. */
export function whyNotStarted(error: Error): string {
  switch (codeOf(error)) {
    case 'ENOENT':
      return 'there is no such program'
    case 'EACCES':
      return 'it is not executable'
    default:
      return error.message
  }
}
