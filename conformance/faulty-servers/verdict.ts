// What a run against a faulty or odd server says of the judge: whether it saw the fault, and blamed nothing else.
import type { RequirementId } from '../../spec/catalogue/requirements.ts'
import type { Outcome } from '../runner/outcomes.ts'
import type { RequirementVerdict } from '../verdict/verdict.ts'
import type { Mutant } from './faulty-servers.ts'

/**
 * `caught`: the row that is broken turned red, and no row beside those that the fault names; `missed`: it did not;
 * `blamed`: a row turned red that the fault does not name; `no case`: no case stands for the row yet. `green`: an odd
 * server turned nothing red; `red`: it did.
 */
export type MutantOutcome = 'caught' | 'missed' | 'blamed' | 'no case' | 'green' | 'red'

export interface MutantVerdict {
  readonly mutant: Mutant
  readonly outcome: MutantOutcome
  /** Rows that turned red: failed, warned, or ended in an error of the suite. */
  readonly red: readonly RequirementId[]
  /** Those of them that the mutant does not name. */
  readonly wrong: readonly RequirementId[]
  /** Why there was nothing to judge, or what an earlier try came to, where that was so. */
  readonly note?: string
}

const RED: ReadonlySet<Outcome> = new Set(['fail', 'warn', 'error'])

/** Returns whether the judge did what it should. */
export function isRight({ outcome }: MutantVerdict): boolean {
  return outcome === 'caught' || outcome === 'green' || outcome === 'no case'
}

/**
 * Holds the outcome of every row against what the mutant names; `covered` are the rows that some check stands for. A
 * warning is red like a failure, except on the rows that an odd server may leave unmet.
 */
export function verdictOn(
  mutant: Mutant,
  rows: readonly RequirementVerdict[],
  covered: ReadonlySet<string>,
): MutantVerdict {
  const red = rows.filter(({ outcome }) => RED.has(outcome)).map(({ id }) => id)
  const errors = new Set(rows.filter(({ outcome }) => outcome === 'error').map(({ id }) => id))
  const named: readonly RequirementId[] =
    mutant.kind === 'fault' ? [mutant.requirement, ...mutant.alsoBreaks] : mutant.leavesUnmet
  const wrong = red.filter((id) => errors.has(id) || !named.includes(id))
  if (mutant.kind === 'oddity') return { mutant, red, wrong, outcome: wrong.length === 0 ? 'green' : 'red' }
  if (!red.includes(mutant.requirement))
    return { mutant, red, wrong, outcome: covered.has(mutant.requirement) ? 'missed' : 'no case' }
  return { mutant, red, wrong, outcome: wrong.length === 0 ? 'caught' : 'blamed' }
}

/**
 * Judges once more where the judge was wrong: what a machine under load did to the times of one run it does not do
 * again, while a judge that is wrong is wrong again. The second verdict counts, and names the first.
 */
export async function judgeTwice(judge: () => Promise<MutantVerdict>): Promise<MutantVerdict> {
  const first = await judge()
  if (isRight(first)) return first
  const again = await judge()
  const earlier = [`${first.outcome} at the first try`, ...first.wrong].join(' ')
  return { ...again, note: again.note === undefined ? earlier : `${again.note} (${earlier})` }
}
