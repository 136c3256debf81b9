// What a conformance case is: data and one function. A case sends requests through its context and holds the
// answers against verifiers; the runner turns what it throws into an outcome.
import type { Level, RequirementId } from '../../spec/catalogue/requirements.ts'
import type { RequestSpec } from '../../harness/http/probe.ts'
import type { Exchange } from '../../harness/http/exchange.ts'
import type { Target, TokenBound } from '../target/target.ts'
import type { Verifier } from '../../harness/verify/verify.ts'

/** Where `finished` gives up, in tokens. */
export const WIDEST_TOKENS = 8192

export interface Case {
  /** A stable slug, `section.what-is-tried`; the same for pass and fail. */
  readonly id: string
  readonly requirement: RequirementId
  /** What is tried, in a few words, as `no Authorization header`. */
  readonly title: string
  /** The version of the catalogue that it came with, where that is not the first. */
  readonly since?: number
  /** Lower than the level of the row, where the case tries a part of it that is only a warning. */
  readonly level?: Level
  /** True where nothing else may be sent while the case runs, with any key, as where it exhausts a limit. */
  readonly exclusive?: boolean
  run(context: CaseContext): Promise<void>
}

/** What a case works with. Everything it awaits ends when the case's time is over. */
export interface CaseContext {
  readonly target: Target
  /** Seed of everything random in this case: same seed, same requests. */
  readonly seed: number
  /** Examples for each property. */
  readonly runs: number
  /** The run is to cost little: where a case may send less and still judge its row, it does. */
  readonly quick: boolean
  readonly signal: AbortSignal
  /**
   * Sends one request and returns the exchange, whatever the status. Without an `authorization` member the target's
   * key is used. A 429 or an enveloped 503 is waited out and sent again, unless `obey` is false; if it does not end,
   * the case is inconclusive.
   */
  send(request: RequestSpec): Promise<Exchange>
  /**
   * POST /v1/chat/completions with this body, as JSON; `model` is filled in where it is missing. As with `send`, a chat
   * request that says nothing of it is given the bound that keeps an answer short (`Target.brief`).
   */
  chat(body: Readonly<Record<string, unknown>>, request?: Partial<RequestSpec>): Promise<Exchange>
  /**
   * For what reads an answer that came to its end: asks with a bound of so many tokens, to be spread into the request,
   * and again with twice as many where the answer was cut at it. One that is cut at the widest bound ends the case as
   * inconclusive: a model that thinks for longer says nothing of the row. Default: 512.
   */
  finished(ask: (bound: TokenBound) => Promise<Exchange>, tokens?: number): Promise<Exchange>
  /**
   * For client libraries: a `fetch` that is limited to this target and whose exchanges are recorded as those of
   * `send` are. Answers stream. A 429 or an enveloped 503 to the target's own key is waited out here too.
   */
  readonly fetch: typeof globalThis.fetch
  /** Holds one exchange against verifiers, in order; the first that does not hold ends the case as a failure. */
  expect(exchange: Exchange, ...verifiers: readonly Verifier[]): void
  /** Holds any value against what was expected; `exchange` is the evidence. */
  assert(
    holds: boolean,
    mismatch: { readonly expected: string; readonly actual: string },
    exchange?: Exchange,
  ): asserts holds
  /** Ends the case: the target does not offer what the row is about. Never a pass. */
  notApplicable(reason: string): never
  /** Ends the case: it could not be judged. */
  inconclusive(reason: string): never
}

type CaseOptions = Pick<Case, 'since' | 'level' | 'exclusive'>

/** Defines a case. Its options, if any, come before its function. */
export function defineCase(
  id: string,
  requirement: RequirementId,
  title: string,
  ...rest: readonly [run: Case['run']] | readonly [options: CaseOptions, run: Case['run']]
): Case {
  const [options, run] = rest.length === 1 ? [{}, rest[0]] : rest
  return { id, requirement, title, run, ...options }
}

/**
 * A check that sends nothing itself: it is held against every exchange of the run under `/v1` to which it applies,
 * so that a rule like "every failed request has the envelope" is judged on whatever was seen. Not applicable where
 * nothing was seen.
 */
export interface Observer {
  readonly id: string
  readonly requirement: RequirementId
  readonly title: string
  /** As in a `Case`. */
  readonly since?: number
  applies(exchange: Exchange): boolean
  /** What each exchange is held against; a function where that remembers others of the same run. */
  readonly verifiers: readonly Verifier[] | (() => readonly Verifier[])
}

/** Defines an observer. */
export function defineObserver(
  id: string,
  requirement: RequirementId,
  title: string,
  applies: Observer['applies'],
  verifiers: Observer['verifiers'],
): Observer {
  return { id, requirement, title, applies, verifiers }
}
