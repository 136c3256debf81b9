// Judges mutants of one kind, several at a time: most of a run is waiting.
import { inTurns } from '../../../harness/waiting.ts'
import type { Judgement } from '../../contract/verdict.ts'
import { type KillTable, killTable } from './kill-table.ts'
import type { Mutant } from './mutant.ts'
import type { MutantOptions } from './mutant-options.ts'
import { type MutantVerdict, isRight, verdictOn } from './mutant-verdict.ts'

/** The number of mutants that are judged at a time, unless their kind has another one. */
const AT_A_TIME = 12

export interface MutantRun {
  readonly mutants: readonly Mutant[]
  readonly seed: number
  readonly options: MutantOptions
  /** Reads the flags with which some servers must be judged. */
  readonly readFlags: (words: readonly string[]) => MutantOptions
  readonly signal: AbortSignal
  /** Judges each server by the rows of the kill table alone, which takes a tenth of the time. */
  readonly brief?: boolean
  /** The checks that must catch each mutant; by default those of the kill table. */
  readonly pinned?: KillTable
  readonly onVerdict?: (verdict: MutantVerdict) => void
}

/** The servers, the clients or the gateways. */
export interface MutantKind {
  readonly noun: 'server' | 'client' | 'gateway'
  /** The number of mutants that are started together. */
  readonly together: number
  /** The number of mutants that are judged at a time. */
  readonly atATime?: number
  /** Starts mutants. They end when the pool is disposed of. */
  start(mutants: readonly Mutant[], run: MutantRun): Promise<MutantPool>
}

export interface MutantPool extends AsyncDisposable {
  /** The rows that some check stands for. */
  readonly covered: ReadonlySet<string>
  /** Judges a mutant by the catalogue; `isAgain` if the judge was wrong about it. */
  judge(mutant: Mutant, isAgain: boolean): Promise<JudgedMutant>
}

/** The outcomes of the checks; the note says why there is none, or what remained open. */
export interface JudgedMutant {
  readonly checks: readonly Judgement[]
  readonly note?: string | undefined
}

/**
 * Judges these mutants and returns the verdicts in their order. If the judge was wrong about a mutant, it judges it again
 * after the others, alone: a machine under load seldom disturbs the times of two runs, while a judge that is wrong is
 * wrong again. The second verdict counts, and its note names the first.
 */
export async function judgeMutants(kind: MutantKind, run: MutantRun): Promise<readonly MutantVerdict[]> {
  const { mutants, signal, pinned = killTable, onVerdict = () => {} } = run
  const verdicts = new Map<Mutant, MutantVerdict>()
  const decide = (verdict: MutantVerdict): void => {
    verdicts.set(verdict.mutant, verdict)
    onVerdict(verdict)
  }
  for (const part of partsOf(mutants, kind.together)) {
    await using pool = await kind.start(part, run)
    const judge = async (mutant: Mutant, isAgain: boolean): Promise<MutantVerdict> => {
      const { checks, note } = await pool.judge(mutant, isAgain)
      signal.throwIfAborted()
      const verdict = verdictOn(mutant, checks, pool.covered, pinned[`${kind.noun}s`][mutant.id])
      return note === undefined ? verdict : { ...verdict, note }
    }
    const wrong: MutantVerdict[] = []
    await inTurns(part, kind.atATime ?? AT_A_TIME, async (mutant) => {
      const verdict = await judge(mutant, false)
      if (isRight(verdict)) decide(verdict)
      else wrong.push(verdict)
    })
    for (const first of wrong) decide(afterFirst(first, await judge(first.mutant, true)))
  }
  return mutants.flatMap((mutant) => verdicts.get(mutant) ?? [])
}

/**
 * Parts of at most `size` mutants, each with some of every section. The odd ones are slow and listed last: they begin
 * first, so that the machine is not idle at the end of each part.
 */
function partsOf(mutants: readonly Mutant[], size: number): readonly (readonly Mutant[])[] {
  const count = Math.max(1, Math.ceil(mutants.length / size))
  return Array.from({ length: count }, (_, part) =>
    mutants.filter((_mutant, place) => place % count === part).toReversed(),
  )
}

function afterFirst(first: MutantVerdict, again: MutantVerdict): MutantVerdict {
  const earlier = [`${first.outcome} at the first try`, ...first.wrong, ...first.lost].join(' ')
  return { ...again, note: again.note === undefined ? earlier : `${again.note} (${earlier})` }
}
