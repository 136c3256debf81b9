// Expected outcomes: a JSON array of {"check","reason"} for failures, with "outcome":"not-applicable" for what the target does not
// offer, and with "outcome":"warn" for a SHOULD that it will not hold. An entry that passes must be removed, so that the list stays correct.
import { at, parseJson } from '../../harness/json-value.ts'
import { FileError, readJsonFile } from '../../harness/bounds/read-file.ts'
import type { Judgement } from './verdict.ts'

/** The reason of an expected outcome, which is a failure unless it says otherwise. */
export interface Expectation {
  readonly reason: string
  readonly outcome?: (typeof OUTCOMES)[number]
}

/** The expected outcome of each listed check, by its id. */
export type Baseline = ReadonlyMap<string, Expectation>

const NOT_APPLICABLE = 'not-applicable'
const OUTCOMES = [NOT_APPLICABLE, 'warn'] as const

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
    const [check, reason, given] = [at(entry, 'check'), at(entry, 'reason'), at(entry, 'outcome')]
    const outcome = OUTCOMES.find((each) => each === given)
    const where = `--baseline: entry ${position}`
    if (typeof check !== 'string' || typeof reason !== 'string' || check.trim() === '')
      throw new BaselineError(`${where}: expected {"check","reason"}, both strings that are not empty`)
    if (reason.trim() === '')
      throw new BaselineError(`${where}: expected a reason that is not empty: give a reason for ${check}`)
    if (given !== outcome)
      throw new BaselineError(
        `${where}: outcome: expected ${OUTCOMES.map((each) => `"${each}"`).join(' or ')}, or none for a failure`,
      )
    if (!known(check)) throw new BaselineError(`${where}: there is no check ${JSON.stringify(check)}`)
    if (baseline.has(check)) throw new BaselineError(`${where}: ${check} is listed twice`)
    baseline.set(check, outcome === undefined ? { reason } : { reason, outcome })
  }
  return baseline
}

/** Whether the failure of this check is expected. A SHOULD that will not be held fails only with `--strict`, and is expected then too. */
export function isFailureExpected(
  baseline: Baseline | undefined,
  { id, level }: Pick<Judgement, 'id' | 'level'>,
): boolean {
  const entry = baseline?.get(id)
  if (entry?.outcome === 'warn') return level !== 'MUST'
  return entry !== undefined && entry.outcome === undefined
}

/** The reason of the entry that expects this outcome. An entry of a failure is shown whatever the outcome is. */
export function reasonFor(
  baseline: Baseline | undefined,
  check: Pick<Judgement, 'id' | 'level' | 'outcome'>,
): string | undefined {
  const { outcome, reason } = baseline?.get(check.id) ?? {}
  const isExpected =
    outcome === undefined ||
    outcome === check.outcome ||
    (check.outcome === 'fail' && isFailureExpected(baseline, check))
  return isExpected ? reason : undefined
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

/** A judged check, with the reason of its entry in the baseline of the run. */
export type BaselineCheck = Pick<Judgement, 'id' | 'level' | 'outcome'> & {
  readonly baseline?: string | undefined
}

/**
 * The text of a baseline that expects each failure and each capability that is not offered, one entry on a line. `reasonOf` gives the
 * reason of a new entry; by default it is empty, so that a person writes it. A SHOULD that warns is listed only if it was listed before.
 */
export function renderBaseline<Each extends BaselineCheck>(
  checks: readonly Each[],
  reasonOf: (check: Each) => string = () => '',
): string {
  const entries = checks.flatMap((check) => {
    const entry = { check: check.id, reason: check.baseline ?? reasonOf(check) }
    if (check.outcome === 'fail') return [entry]
    const isDecided = check.outcome === 'warn' && check.baseline !== undefined
    return isDecided || isWithheld(check) ? [{ ...entry, outcome: check.outcome }] : []
  })
  const lines = entries.map((entry) => `  ${JSON.stringify(entry)}`)
  return lines.length === 0 ? '[]\n' : `[\n${lines.join(',\n')}\n]\n`
}

function isWithheld({ level, outcome }: Pick<Judgement, 'level' | 'outcome'>): boolean {
  return outcome === NOT_APPLICABLE && level !== 'MAY'
}
