// What a run does, worked out before it begins: k6 gets nothing else, and the judge holds the run against it.
import type { RequestLimit } from './theory.ts'

/** Requests of one key in one manner, from `startSeconds` for `seconds`. */
export interface Load {
  /** Marks its requests in what k6 records. */
  readonly name: string
  /** Whose key it uses; a name of `Plan.roles`. */
  readonly role: string
  readonly startSeconds: number
  readonly seconds: number
  readonly arrivals: Arrivals
  /** Milliseconds that an answer should take, where the service lets itself be asked for that. */
  readonly delayMs?: number
  readonly stream?: boolean
  /** What one arrival asks; 1 where it is left out. */
  readonly requestsEach?: number
}

export type Arrivals =
  /** So many a second, evenly, whether the service keeps up or not. */
  | { readonly kind: 'constant'; readonly perSecond: number }
  /** The same, rising evenly from one to the other. */
  | { readonly kind: 'ramp'; readonly fromPerSecond: number; readonly toPerSecond: number }
  /** So many at the same time, once. */
  | { readonly kind: 'burst'; readonly requests: number }
  /** One caller, one request after the other, as the scenario's own function has it. */
  | { readonly kind: 'caller' }

export interface Plan {
  readonly scenario: string
  /** The root address, without `/v1` and without a slash at its end. */
  readonly baseUrl: string
  readonly model: string
  /** The answer repeats the question, so that it can be held against it. */
  readonly echoes: boolean
  /** A 429 is in the form of the service: its type, its code, Retry-After. */
  readonly refusalForm: boolean
  /** The names of the keys, in the order of LOADTEST_KEYS. */
  readonly roles: readonly string[]
  readonly limit: RequestLimit
  readonly loads: readonly Load[]
  /** For one answer, in seconds. */
  readonly timeoutSeconds: number
}

/** How many requests a load makes, as far as that is fixed before it begins: at least so many. */
export function plannedRequests({ arrivals, seconds, requestsEach = 1 }: Load): number {
  switch (arrivals.kind) {
    case 'constant':
      return arrivals.perSecond * seconds * requestsEach
    case 'ramp':
      return ((arrivals.fromPerSecond + arrivals.toPerSecond) / 2) * seconds * requestsEach
    case 'burst':
      return arrivals.requests * requestsEach
    case 'caller':
      return requestsEach
  }
}

/** When the last load ends, in seconds from the beginning. */
export function planSeconds({ loads }: Pick<Plan, 'loads'>): number {
  return Math.max(...loads.map(({ startSeconds, seconds }) => startSeconds + seconds))
}
