// Expected failures: a JSON array of {"check","reason"}. An entry that passes must be removed, so that the list stays
// correct.
import { readFileSync } from 'node:fs'
import { at, parseJson } from '../../harness/verify/json-value.ts'

/** The reason of each expected failure, by the id of the check. */
export type Baseline = ReadonlyMap<string, string>

/** The baseline cannot be used; the message is one line. */
export class BaselineError extends Error {
  override readonly name = 'BaselineError'
}

/** Reads a baseline file; `known` returns whether a check of this id exists. Throws `BaselineError`. */
export function readBaseline(file: string, known: (id: string) => boolean): Baseline {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new BaselineError(`--baseline: cannot read ${file}`)
  }
  return parseBaseline(text, known)
}

/** Parses the text of a baseline. Throws `BaselineError`, naming the entry at fault. */
export function parseBaseline(text: string, known: (id: string) => boolean): Baseline {
  const parsed = parseJson(text)
  if (parsed === undefined) throw new BaselineError('--baseline: not JSON')
  if (!Array.isArray(parsed)) throw new BaselineError('--baseline: expected an array of {"check","reason"}')
  const baseline = new Map<string, string>()
  for (const [position, entry] of parsed.entries()) {
    const [check, reason] = [at(entry, 'check'), at(entry, 'reason')]
    const where = `--baseline: entry ${position}`
    if (typeof check !== 'string' || typeof reason !== 'string' || reason.trim() === '')
      throw new BaselineError(`${where}: expected {"check","reason"}, both strings that are not empty`)
    if (!known(check)) throw new BaselineError(`${where}: there is no check ${JSON.stringify(check)}`)
    if (baseline.has(check)) throw new BaselineError(`${where}: ${check} is listed twice`)
    baseline.set(check, reason)
  }
  return baseline
}
