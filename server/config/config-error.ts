/** A setting that cannot be used. The message is one line for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Writes one line for the operator. */
export function warn(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Ends a start that cannot succeed: one line for the operator, exit code 2. */
export function fail(line: string): never {
  warn(line)
  process.exit(2)
}
