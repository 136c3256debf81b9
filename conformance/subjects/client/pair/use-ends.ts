// How the check of a use ends: it returns, or a side is at fault, or the use did not come about.
import type { RequirementId } from '../../../../spec/catalogue/requirements.ts'
import type { ProgramEnd } from '../../../../harness/judged-program.ts'
import type { CheckResult } from '../../../contract/result.ts'
import { CheckFailure, Inconclusive, NotApplicable } from '../../../contract/outcome.ts'
import type { RecordedExchange } from '../../../exchanges/recorded-exchange.ts'

/** One run of the program in a use. */
export interface UseRun {
  /** The request that the program was asked to send. */
  readonly asked: unknown
  readonly end: ProgramEnd
  /** The exchanges in the order of their requests. */
  readonly exchanges: readonly RecordedExchange[]
  /** Whether the proxy answered in place of the server. */
  readonly isScripted: boolean
}

/** The results of the checks of each side that only look at exchanges; their place is the index of the exchange. */
export type Passive = Readonly<Record<'server' | 'client', readonly CheckResult[]>>

/** The result of a use in one sentence, and the exchange that shows it. */
export interface Shown {
  readonly text: string
  readonly shown: RecordedExchange | undefined
  /** The side at fault, or the one that does not offer the use. */
  readonly side?: keyof Passive
  /** The row that it broke, if there is one. */
  readonly row?: RequirementId | undefined
  /** The use succeeded all the same. */
  readonly isDefect?: boolean
  /** The server took a request that it should refuse: the proxy can refuse it in its place. */
  readonly isAccepted?: boolean
}

/** Ends the check of a use that does not pass. */
export class UseEnd extends Error {
  /** The outcome of `outcome.ts`. */
  readonly end: CheckFailure | Inconclusive | NotApplicable
  readonly shows: Shown

  constructor(end: UseEnd['end'], shows: Shown) {
    super(shows.text)
    this.end = end
    this.shows = shows
  }
}

/** A side is at fault, by its row if there is one. */
export function atFault(
  side: keyof Passive,
  row: RequirementId | undefined,
  text: string,
  shown: Shown['shown'],
  isDefect = false,
): UseEnd {
  const expected = 'the use to succeed, and both sides to keep the format'
  return new UseEnd(new CheckFailure({ expected, actual: text }), { text, shown, side, row, isDefect })
}

/** The use did not come about, for a reason that another try may change. */
export const notShown = (text: string, shown: Shown['shown'], isAccepted = false): UseEnd =>
  new UseEnd(new Inconclusive(text), { text, shown, isAccepted })

/** The server refuses the feature by name. */
export const notOffered = (text: string, shown: Shown['shown']): UseEnd =>
  new UseEnd(new NotApplicable(text), { text, shown, side: 'server' })

/** The row of the first check that fails. */
export const rowOf = (results: readonly CheckResult[]): RequirementId | undefined =>
  results.find(({ outcome }) => outcome === 'fail')?.requirement
