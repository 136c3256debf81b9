// Reads the file of `--puppet`: the texts that the model of a run says.
import { readGivenJson } from '../../harness/bounds/read-file.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { type Puppet, puppetSchema } from '../../spec/schemas/puppet.ts'

/** The largest description of a puppet, in bytes. */
const MOST_PUPPET_BYTES = 8 * 1024 * 1024

/** Reads a puppet from a file. Throws `UsageError`, naming the member at fault. */
export function readPuppet(file: string, name: string): Puppet {
  const where = `${name} ${file}`
  const read = readGivenJson(where, file, MOST_PUPPET_BYTES)
  const parsed = puppetSchema.safeParse(read)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `
  throw new UsageError(
    `${where}: ${path}${issue?.message ?? 'wrong'}; expected a file that \`touchstone puppets\` wrote`,
  )
}
