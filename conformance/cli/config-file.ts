// The config file: JSON with the flags as keys, and the credentials under the names of their variables.
import { readFileSync } from 'node:fs'
import { type Flags, nameOf, takesValue } from '../../harness/cli/flags.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { CREDENTIAL_NAMES } from '../contract/credentials.ts'
import type { ConformanceOptions } from '../contract/settings.ts'
import { at, isRecord } from '../../harness/verify/json-value.ts'

/** Reads a config file by the table of the flags. Throws `UsageError`, naming the key at fault. */
export function readConfigFile(file: string, flags: Flags) {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read'
    throw new UsageError(`--config ${file}: ${why}`)
  }
  if (!isRecord(parsed)) throw new UsageError(`--config ${file}: expected an object with the flags as keys`)

  const read: Record<string, string | boolean | readonly string[]> = {}
  const credentials: Record<string, string> = {}
  for (const [key, value] of Object.entries(parsed)) {
    const wrong = (expected: string): UsageError =>
      new UsageError(`--config ${file}: ${key}: expected ${expected}`)
    if (key === 'token') continue
    const flag = Object.values(flags).find((candidate) => nameOf(candidate) === key)
    if (CREDENTIAL_NAMES.some((name) => name === key)) {
      if (typeof value !== 'string') throw wrong('a string')
      credentials[key] = value
    } else if (flag === undefined || flag.inFile === false) {
      throw new UsageError(`--config ${file}: unknown key '${key}'`)
    } else if (!takesValue(flag)) {
      if (typeof value !== 'boolean') throw wrong('true or false')
      read[key] = value
    } else if ((flag.multiple || flag.list) && Array.isArray(value)) {
      if (!value.every((item) => typeof item === 'string')) throw wrong('strings')
      read[key] = flag.multiple ? value : value.join(',')
    } else {
      if (typeof value !== 'string' && typeof value !== 'number') throw wrong('a string or a number')
      read[key] = String(value)
    }
  }
  return {
    /** As the command line would give them. */
    flags: read,
    credentials,
    /** A token id and the text that it stands for, for `logit_bias` (WIRE-20). */
    token: readToken(parsed['token'], file),
  }
}

function readToken(value: unknown, file: string): ConformanceOptions['token'] {
  if (value === undefined) return undefined
  const [id, text] = [at(value, 'id'), at(value, 'text')]
  if (
    (typeof id === 'string' || typeof id === 'number') &&
    /^\d+$/.test(String(id)) &&
    typeof text === 'string'
  )
    return { id: String(id), text }
  throw new UsageError(`--config ${file}: token: expected {"id": "104", "text": "h"}`)
}
