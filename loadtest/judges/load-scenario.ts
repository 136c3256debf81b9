// A scenario: the loads that k6 offers, the keys that they need, and the judge of the answers.
import type { Judgement, LoadRun } from './judgement.ts'
import type { Load } from '../theory/load-plan.ts'
import type { RequestLimit } from '../theory/limiter-bounds.ts'

/** The load settings; each scenario has its own defaults. */
export interface LoadSettings {
  readonly limit: RequestLimit
  readonly seconds: number
  /** Requests per second. */
  readonly rate: number
  /** The rate at which `breakpoint` ends and that `spike` reaches. */
  readonly maxRate: number
  /** Whether the service can delay an answer on request. */
  readonly delays: boolean
}

export interface Scenario {
  readonly name: string
  /** One line for the help. */
  readonly about: string
  /** The keys, by name. Each of `limited` has the limit; the others have a limit that is never reached. */
  readonly limited?: readonly string[]
  readonly unlimited?: readonly string[]
  /** The default settings; the rates are 0 if the scenario derives them from the limit. */
  defaults(limit: RequestLimit | undefined): Pick<LoadSettings, 'limit' | 'seconds'> & Partial<LoadSettings>
  /** Settings of the reference server when it is started for this scenario, and the model that is used there. */
  readonly server?: Readonly<Record<string, string>>
  readonly model?: string
  loads(settings: LoadSettings): readonly Load[]
  judge(run: LoadRun): Judgement
}

/** A limit that no scenario reaches; keys of the environment have their own. */
export const GENEROUS: RequestLimit = { requests: 100_000, windowSeconds: 60 }

/** Requests per second that the limit allows in the long run. */
export const rateOf = ({ requests, windowSeconds }: RequestLimit): number => requests / windowSeconds

/** The highest rate that a scenario chooses by itself, in requests per second. */
const MOST_PER_SECOND = 500

/** Ten times the limit if a small machine can offer that, and at least twice the limit. */
export function farAbove(limit: RequestLimit): number {
  return Math.max(2 * rateOf(limit), Math.min(10 * rateOf(limit), MOST_PER_SECOND))
}
