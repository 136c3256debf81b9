// The verdict on the judge after a run against a faulty or odd server or client: whether it caught the fault, and blamed
// no other row.
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import type { Outcome } from '../../contract/outcome.ts'
import type { RequirementVerdict } from '../../contract/verdict.ts'
import type { Mutant } from './mutant.ts'

/** The servers or clients that are judged at a time: most of a run is waiting for limits. */
const AT_A_TIME = 12

/** The parts of a run that servers and clients share. */
export interface MutantRun {
  readonly mutants: readonly Mutant[]
  readonly seed: number
  readonly signal: AbortSignal
  readonly onVerdict?: (verdict: MutantVerdict) => void
}

/**
 * `caught`: the broken row turned red, and no row that the fault does not name; `missed`: it did not; `blamed`: a row
 * turned red that the fault does not name; `no case`: no case stands for the row yet. `green`: an odd server or client
 * turned no row red; `red`: it did.
 */
export type MutantOutcome = 'caught' | 'missed' | 'blamed' | 'no case' | 'green' | 'red'

export interface MutantVerdict {
  readonly mutant: Mutant
  readonly outcome: MutantOutcome
  /** Rows that turned red: failed, warned, or ended in an error of the suite. */
  readonly red: readonly RequirementId[]
  /** The red rows that the mutant does not name. */
  readonly wrong: readonly RequirementId[]
  /** Why there was nothing to judge, or the result of the first try. */
  readonly note?: string
}

const RED: ReadonlySet<Outcome> = new Set(['fail', 'warn', 'error'])

/** Returns whether the judge did what it should. */
export function isRight({ outcome }: MutantVerdict): boolean {
  return outcome === 'caught' || outcome === 'green' || outcome === 'no case'
}

/**
 * Compares the outcome of every row with what the mutant names; `covered` are the rows that some check stands for. A
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

export async function judgeTwice(judge: () => Promise<MutantVerdict>): Promise<MutantVerdict> {
  return judgeAgain(await judge(), judge)
}

/**
 * Judges again if the first verdict was wrong: a machine under load seldom disturbs the times of two runs, while a judge
 * that is wrong is wrong again. The second verdict counts, and its note names the first.
 */
async function judgeAgain(first: MutantVerdict, judge: () => Promise<MutantVerdict>): Promise<MutantVerdict> {
  if (isRight(first)) return first
  const again = await judge()
  const earlier = [`${first.outcome} at the first try`, ...first.wrong].join(' ')
  return { ...again, note: again.note === undefined ? earlier : `${again.note} (${earlier})` }
}

/** Judges all mutants, then those again about which the judge was wrong, one after the other, and reports each verdict. */
export async function judgeAll(
  { mutants, onVerdict }: MutantRun,
  judge: (mutant: Mutant) => Promise<MutantVerdict>,
): Promise<readonly MutantVerdict[]> {
  const verdicts: MutantVerdict[] = []
  for (const first of await inTurns(mutants, judge)) {
    const verdict = await judgeAgain(first, () => judge(first.mutant))
    verdicts.push(verdict)
    onVerdict?.(verdict)
  }
  return verdicts
}

/** Judges all mutants, a few at a time, and returns the verdicts in their order. */
export async function inTurns(mutants: readonly Mutant[], judge: (mutant: Mutant) => Promise<MutantVerdict>) {
  const waiting = mutants.entries()
  const verdicts: MutantVerdict[] = []
  async function work(): Promise<void> {
    for (const [index, mutant] of waiting) verdicts[index] = await judge(mutant)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  return verdicts
}
