// The config file: JSON with the flags as keys, and the credentials under the names of their variables.
import { type Flags, nameOf, takesValue } from '../../harness/cli/flags.ts'
import { suggestion } from '../../harness/cli/command-line.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { CREDENTIAL_NAMES } from '../contract/credentials.ts'
import type { ConformanceOptions } from '../contract/settings.ts'
import { at, isRecord } from '../../harness/json-value.ts'
import { readGiven, whyTooCostly } from '../../harness/bounds/read-file.ts'

/** The largest config file, in bytes. */
const MOST_CONFIG_BYTES = 1024 * 1024

/** Reads a config file by the table of the flags. Throws `UsageError`, naming the key at fault. */
export function readConfigFile(file: string, flags: Flags) {
  const parsed = parse(readGiven(`--config ${file}`, file, MOST_CONFIG_BYTES).toString('utf8'), file)
  if (!isRecord(parsed)) throw new UsageError(`--config ${file}: expected an object with the flags as keys`)

  const ofFile = Object.fromEntries(Object.entries(flags).filter(([, { inFile }]) => inFile !== false))
  const given: Record<string, string | boolean | readonly string[]> = {}
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
      throw new UsageError(
        `--config ${file}: unknown key '${key}'${suggestion(ofFile, key).replace('--', '')}`,
      )
    } else if (!takesValue(flag)) {
      if (typeof value !== 'boolean') throw wrong('true or false')
      given[key] = value
    } else if ((flag.multiple || flag.list) && Array.isArray(value)) {
      if (!value.every((item) => typeof item === 'string')) throw wrong('strings')
      given[key] = flag.multiple ? value : value.join(',')
    } else {
      if (typeof value !== 'string' && typeof value !== 'number') throw wrong('a string or a number')
      given[key] = String(value)
    }
  }
  return {
    /** The values, as the command line would give them. */
    flags: given,
    credentials,
    /** A token id and the text that it stands for, for `logit_bias` (WIRE-20). */
    token: readToken(parsed['token'], file),
  }
}

function parse(text: string, file: string): unknown {
  const why = whyTooCostly(text)
  if (why !== undefined) throw new UsageError(`--config ${file}: ${why}`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`--config ${file}: it is not JSON, line ${faultyLine(text, String(error))}`)
  }
}

/** The line at which a text is not JSON. The message itself is not shown: it may contain a credential. */
function faultyLine(text: string, message: string): number {
  const [, line] = /\(line (\d+) column/.exec(message) ?? []
  if (line !== undefined) return Number(line)
  // An unexpected token has no place in the message: it is in the first lines that have the same message.
  const lines = text.split('\n')
  let [good, faulty] = [0, lines.length]
  while (faulty - good > 1) {
    const middle = Math.floor((good + faulty) / 2)
    if (isFaulty(lines.slice(0, middle).join('\n'))) faulty = middle
    else good = middle
  }
  return faulty
}

function isFaulty(text: string): boolean {
  try {
    JSON.parse(text)
  } catch (error) {
    return /unexpected token/i.test(String(error))
  }
  return false
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
