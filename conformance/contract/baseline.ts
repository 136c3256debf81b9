// Expected outcomes: a JSON array of {"check","reason"} for failures, and with "outcome":"not-applicable" for what the target
// does not offer. An entry that passes must be removed, so that the list stays correct.
import { at, parseJson } from '../../harness/json-value.ts'
import { FileError, readJsonFile } from '../../harness/bounds/read-file.ts'
import type { Judgement } from './verdict.ts'

/** The reason of an expected outcome, which is a failure unless it says otherwise. */
export interface Expectation {
  readonly reason: string
  readonly outcome?: typeof NOT_APPLICABLE
}

/** The expected outcome of each listed check, by its id. */
export type Baseline = ReadonlyMap<string, Expectation>

const NOT_APPLICABLE = 'not-applicable'

/** The largest baseline, in bytes. */
const MOST_BASELINE_BYTES = 16 * 1024 * 1024

/** The baseline cannot be used; the message is one line. */
export class BaselineError extends Error {
  override readonly name = 'BaselineError'
}

/** Reads a baseline file; `known` returns whether a check of this id exists. Throws `BaselineError`. */
export function readBaseline(file: string, known: (id: string) => boolean): Baseline {
  try {
    return baselineOf(readJsonFile(file, MOST_BASELINE_BYTES), known)
  } catch (error) {
    if (error instanceof FileError)
      throw new BaselineError(`--baseline: cannot read ${file}: ${error.message}`)
    throw error
  }
}

/** Parses the text of a baseline. Throws `BaselineError`, naming the entry at fault. */
export function parseBaseline(text: string, known: (id: string) => boolean): Baseline {
  return baselineOf(parseJson(text), known)
}

function baselineOf(parsed: unknown, known: (id: string) => boolean): Baseline {
  if (parsed === undefined) throw new BaselineError('--baseline: not JSON')
  if (!Array.isArray(parsed)) throw new BaselineError('--baseline: expected an array of {"check","reason"}')
  const baseline = new Map<string, Expectation>()
  for (const [position, entry] of parsed.entries()) {
    const [check, reason, outcome] = [at(entry, 'check'), at(entry, 'reason'), at(entry, 'outcome')]
    const where = `--baseline: entry ${position}`
    if (typeof check !== 'string' || typeof reason !== 'string' || check.trim() === '')
      throw new BaselineError(`${where}: expected {"check","reason"}, both strings that are not empty`)
    if (reason.trim() === '')
      throw new BaselineError(`${where}: expected a reason that is not empty: give a reason for ${check}`)
    if (outcome !== undefined && outcome !== NOT_APPLICABLE)
      throw new BaselineError(`${where}: outcome: expected "${NOT_APPLICABLE}", or none for a failure`)
    if (!known(check)) throw new BaselineError(`${where}: there is no check ${JSON.stringify(check)}`)
    if (baseline.has(check)) throw new BaselineError(`${where}: ${check} is listed twice`)
    baseline.set(check, outcome === undefined ? { reason } : { reason, outcome })
  }
  return baseline
}

/** Whether the failure of this check is expected. */
export function isFailureExpected(baseline: Baseline | undefined, id: string): boolean {
  const entry = baseline?.get(id)
  return entry !== undefined && entry.outcome === undefined
}

/** The reason of the entry that expects this outcome. An entry of a failure is shown whatever the outcome is. */
export function reasonFor(
  baseline: Baseline | undefined,
  { id, outcome }: Pick<Judgement, 'id' | 'outcome'>,
): string | undefined {
  const entry = baseline?.get(id)
  return entry?.outcome === undefined || entry.outcome === outcome ? entry?.reason : undefined
}

/**
 * The ids of checks that the target no longer offers: not applicable, and not in the baseline. None without a baseline. An
 * optional row is only reported, so its checks are not listed.
 */
export function noLongerOffered(
  checks: readonly Judgement[],
  baseline: Baseline | undefined,
): readonly string[] {
  if (baseline === undefined) return []
  return checks.filter((check) => isWithheld(check) && !baseline.has(check.id)).map(({ id }) => id)
}

/** The text of a baseline that expects what failed and what is not offered. The reasons are left for a person to give. */
export function renderBaseline(
  checks: readonly (Pick<Judgement, 'id' | 'level' | 'outcome'> & {
    readonly baseline?: string | undefined
  })[],
): string {
  const entries = checks.flatMap((check) => {
    const entry = { check: check.id, reason: check.baseline ?? '' }
    if (check.outcome === 'fail') return [entry]
    return isWithheld(check) ? [{ ...entry, outcome: NOT_APPLICABLE }] : []
  })
  return `${JSON.stringify(entries, undefined, 2)}\n`
}

function isWithheld({ level, outcome }: Pick<Judgement, 'level' | 'outcome'>): boolean {
  return outcome === NOT_APPLICABLE && level !== 'MAY'
}
