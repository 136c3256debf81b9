// The plan of a run. k6 receives nothing else, and the judge compares the run with it.
import type { RequestLimit } from './limiter-bounds.ts'

/** Requests of one key with one arrival pattern, from `startSeconds` for `seconds`. */
export interface Load {
  /** Marks its requests in the record of k6. */
  readonly name: string
  /** The role of its key, one of `LoadPlan.roles`. */
  readonly role: string
  readonly startSeconds: number
  readonly seconds: number
  readonly arrivals: Arrivals
  /** The requested delay of an answer, in milliseconds, if the service supports it. */
  readonly delayMs?: number
  readonly stream?: boolean
  /** Requests of each arrival; default 1. */
  readonly requestsEach?: number
}

export type Arrivals =
  /** An even rate, whether the service keeps up or not. */
  | { readonly kind: 'constant'; readonly perSecond: number }
  /** A rate that rises evenly. */
  | { readonly kind: 'ramp'; readonly fromPerSecond: number; readonly toPerSecond: number }
  /** Concurrent requests, once. */
  | { readonly kind: 'burst'; readonly requests: number }
  /** One caller that sends one request after the other, as the function of the scenario decides. */
  | { readonly kind: 'caller' }

export interface LoadPlan {
  readonly scenario: string
  /** The address of the service, in a form of `harness/http/service-address.ts`. */
  readonly baseUrl: string
  /** The URLs of its operations, because k6 runs a script alone. */
  readonly urls: { readonly chat: string; readonly models: string }
  /** The header for the key alone. Default: `Authorization`, with `Bearer` before the key. */
  readonly authHeader?: string | undefined
  readonly model: string
  /** The answer repeats the question, so it can be verified. */
  readonly echoes: boolean
  /** A 429 must have the type and code of the specification, and Retry-After. */
  readonly refusalForm: boolean
  /** The names of the keys, in the order of LOADTEST_KEYS. */
  readonly roles: readonly string[]
  readonly limit: RequestLimit
  readonly loads: readonly Load[]
  /** The timeout of one answer, in seconds. */
  readonly timeoutSeconds: number
}

/** The number of requests of a load; the least number if it depends on answers. */
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

/** The end of the last load, in seconds from the start. */
export function planSeconds({ loads }: Pick<LoadPlan, 'loads'>): number {
  return Math.max(...loads.map(({ startSeconds, seconds }) => startSeconds + seconds))
}

/** A load at an even rate from `startSeconds` for `seconds`, with its own key unless `role` names another. */
export function evenLoad(
  name: string,
  perSecond: number,
  { seconds, startSeconds = 0, role = name }: { seconds: number; startSeconds?: number; role?: string },
): Load {
  return { name, role, startSeconds, seconds, arrivals: { kind: 'constant', perSecond } }
}
