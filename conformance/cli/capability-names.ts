// The names that `--require` takes.
import { UsageError } from '../../harness/cli/usage-error.ts'
import { CAPABILITIES } from '../target/capabilities.ts'

/** Names of capabilities, separated by commas. */
export function capabilities(value: string, name: string): readonly string[] {
  const names = value.split(',').map((part) => part.trim())
  const unknown = names.find((part) => !CAPABILITIES.includes(part))
  if (unknown !== undefined)
    throw new UsageError(`${name}: no capability '${unknown}': expected ${CAPABILITIES.join(', ')}`)
  return names
}
