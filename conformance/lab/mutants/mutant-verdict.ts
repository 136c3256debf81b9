// The verdict on the judge after a run against a mutant: whether it caught the fault by the checks of the kill table, and
// blamed no other row.
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import type { Outcome } from '../../contract/outcome.ts'
import { type Judgement, rollUp } from '../../contract/verdict.ts'
import type { Mutant } from './mutant.ts'

/**
 * `caught`: the broken row turned red, and no row that the fault does not name; `missed`: it did not; `blamed`: a row
 * turned red that the fault does not name; `no case`: no case stands for the row yet. `green`: an odd mutant turned no row
 * red; `red`: it did.
 */
type MutantOutcome = 'caught' | 'missed' | 'blamed' | 'no case' | 'green' | 'red'

export interface MutantVerdict {
  readonly mutant: Mutant
  readonly outcome: MutantOutcome
  /** Rows that turned red: failed, warned, or ended in an error of the suite. */
  readonly red: readonly RequirementId[]
  /** The red rows that the mutant does not name. */
  readonly wrong: readonly RequirementId[]
  /** The checks for the kill table: those that caught a fault, or those of the rows that allow an oddity, if they passed. */
  readonly decisive: readonly string[]
  /** Checks of the kill table that are not decisive any more. */
  readonly lost: readonly string[]
  /** Why there was nothing to judge, or the result of the first try. */
  readonly note?: string
}

const RED: ReadonlySet<Outcome> = new Set(['fail', 'warn', 'error'])

/** Returns whether the judge did what it should. */
export function isRight({ outcome, lost }: MutantVerdict): boolean {
  return lost.length === 0 && (outcome === 'caught' || outcome === 'green' || outcome === 'no case')
}

/** The rows whose checks the kill table holds: of a derived fault the broken row alone, because it names many others. */
export function rowsInTable(mutant: Mutant): readonly RequirementId[] {
  if (mutant.kind === 'oddity') return mutant.tolerances
  return mutant.parts === undefined ? [mutant.requirement, ...mutant.alsoBreaks] : [mutant.requirement]
}

/**
 * Compares the outcome of every row with those that the mutant names, and the decisive checks with the `pinned` ones;
 * `covered` are the rows that some check stands for. A warning is red like a failure, except on the rows that an odd mutant may
 * leave unmet.
 */
export function verdictOn(
  mutant: Mutant,
  checks: readonly Judgement[],
  covered: ReadonlySet<string>,
  pinned: readonly string[] = [],
): MutantVerdict {
  const rows = rollUp(checks)
  const red = rows.filter(({ outcome }) => RED.has(outcome)).map(({ id }) => id)
  const errors = new Set(rows.filter(({ outcome }) => outcome === 'error').map(({ id }) => id))
  const named: readonly RequirementId[] =
    mutant.kind === 'fault' ? [mutant.requirement, ...mutant.alsoBreaks] : mutant.leavesUnmet
  const wrong = red.filter((id) => errors.has(id) || !named.includes(id))
  const inTable = rowsInTable(mutant)
  const decisive = checks
    .filter(({ requirement }) => inTable.includes(requirement))
    .filter(({ outcome }) => (mutant.kind === 'fault' ? RED.has(outcome) : outcome === 'pass'))
    .map(({ id }) => id)
  const lost = pinned.filter((id) => !decisive.includes(id))
  const verdict = { mutant, red, wrong, decisive, lost }
  if (mutant.kind === 'oddity') return { ...verdict, outcome: wrong.length === 0 ? 'green' : 'red' }
  if (!red.includes(mutant.requirement))
    return { ...verdict, outcome: covered.has(mutant.requirement) ? 'missed' : 'no case' }
  return { ...verdict, outcome: wrong.length === 0 ? 'caught' : 'blamed' }
}
