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

export type Side = keyof Passive

type Shown = RecordedExchange | undefined

/** A side is at fault, and by its row if there is one. */
export class AtFault extends CheckFailure {
  readonly side: Side
  readonly row: RequirementId | undefined
  readonly shown: Shown
  /** The use succeeded all the same. */
  readonly isDefect: boolean

  constructor(side: Side, row: RequirementId | undefined, text: string, shown: Shown, isDefect = false) {
    super({ expected: 'the use to succeed, and both sides to keep the format', actual: text })
    this.side = side
    this.row = row
    this.shown = shown
    this.isDefect = isDefect
  }
}

/** The use did not come about, for a reason that another try may change. */
export class NotShown extends Inconclusive {
  readonly shown: Shown
  /** The server took a request that it should refuse: the proxy can refuse it in its place. */
  readonly isAccepted: boolean

  constructor(text: string, shown: Shown, isAccepted = false) {
    super(text)
    this.shown = shown
    this.isAccepted = isAccepted
  }
}

/** The server refuses the feature by name. */
export class NotOffered extends NotApplicable {
  readonly shown: Shown

  constructor(text: string, shown: Shown) {
    super(text)
    this.shown = shown
  }
}

/** The row of the first check that fails. */
export const rowOf = (results: readonly CheckResult[]): RequirementId | undefined =>
  results.find(({ outcome }) => outcome === 'fail')?.requirement
