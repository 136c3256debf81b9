// What a scenario is on this side of k6: the loads that it needs, the keys for them, and the judge of what came.
import type { Judgement, Run } from './judgement.ts'
import type { Load } from '../theory/plan.ts'
import type { RequestLimit } from '../theory/theory.ts'

/** What a person may choose; each scenario has its own for what is left out. */
export interface Wishes {
  readonly limit: RequestLimit
  readonly seconds: number
  /** Requests in a second. */
  readonly rate: number
  /** The rate at which `breakpoint` ends and that `spike` reaches. */
  readonly maxRate: number
  /** Whether answers can be asked to take their time. */
  readonly delays: boolean
}

export interface Scenario {
  readonly name: string
  /** In one line, for the help. */
  readonly about: string
  /** The keys, by name. Each of `limited` has the limit; the others have none that would be met. */
  readonly limited: readonly string[]
  readonly unlimited: readonly string[]
  /** What is taken where a person chooses nothing. */
  defaults(limit: RequestLimit | undefined): Omit<Wishes, 'delays'>
  /** Settings of the reference server, where that is started for it; and the model that is asked there. */
  readonly server?: Readonly<Record<string, string>>
  readonly model?: string
  loads(wishes: Wishes): readonly Load[]
  judge(run: Run): Judgement
}

/** Requests in a second that the limit allows in the long run. */
export const rateOf = ({ requests, windowSeconds }: RequestLimit): number => requests / windowSeconds

/** The highest rate that a scenario offers on its own account, in requests a second. */
const MOST_PER_SECOND = 500

/** Ten times the limit, where a small machine can offer that; at least twice. */
export function farAbove(limit: RequestLimit): number {
  return Math.max(2 * rateOf(limit), Math.min(10 * rateOf(limit), MOST_PER_SECOND))
}
