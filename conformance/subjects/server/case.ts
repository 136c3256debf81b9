// A conformance case: data and one function. A case sends requests through its context and applies verifiers to the
// answers; the runner turns what it throws into an outcome.
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import type { Check } from '../../contract/check.ts'
import type { RequestSpec } from '../../../harness/http/probe.ts'
import type { Exchange } from '../../../harness/http/exchange.ts'
import type { Target, TokenBound } from '../../contract/target.ts'
import type { Verifier } from '../../../harness/verify/verify.ts'

export interface Case extends Check {
  /** True if nothing else may be sent while the case runs, with any key: for example when it exhausts a limit. */
  readonly exclusive?: boolean
  /** True if it mostly waits, for seconds: it starts before the others, which run meanwhile. */
  readonly waits?: boolean
  /** True if it judges the keys of the run themselves: any other case has to send a request. */
  readonly sendsNothing?: boolean
  /** True if a quick run leaves it out: it sends many requests, or shares those of other cases. */
  readonly thorough?: boolean
  /** True if each quick run has it: no other check of a quick run sees its faults. */
  readonly alwaysQuick?: boolean
  run(context: CaseContext): Promise<void>
}

/** The tools of a case. Everything that it awaits ends when the time of the case is over. */
export interface CaseContext {
  readonly target: Target
  /** Seed of everything random in this case: same seed, same requests. */
  readonly seed: number
  /** Examples for each property. */
  readonly runs: number
  /** A short run: a case sends fewer requests if it can still judge its row. */
  readonly quick: boolean
  readonly signal: AbortSignal
  /**
   * Sends one request and returns the exchange, whatever the status. Without an `authorization` member the key of the
   * target is used. After a 429 or an enveloped 503 it waits and sends the request again, unless `obey` is false; if the
   * refusals do not end, the case is inconclusive.
   */
  send(request: RequestSpec): Promise<Exchange>
  /**
   * POST /v1/chat/completions with this body, as JSON; a missing `model` is filled in. As with `send`, a chat request
   * without a token bound gets the one that keeps an answer short (`Target.brief`).
   */
  chat(body: Readonly<Record<string, unknown>>, request?: Partial<RequestSpec>): Promise<Exchange>
  /**
   * Returns an answer that is not cut: `ask` sends the request with a bound on its tokens, and again with four times as
   * many if the answer was cut at the bound, up to the highest bound of the plan. An answer that is cut there, or at the end of
   * the context, makes the case inconclusive: a model that thinks for longer says nothing about the row. After
   * several such answers the next of their kind gets one attempt.
   */
  finished(ask: (bound: TokenBound) => Promise<Exchange>): Promise<Exchange>
  /**
   * A `fetch` for client libraries, of addresses under `FETCH_ROOT`, which stands for the target. It records its exchanges
   * like `send`. Answers stream. After a 429 or an enveloped 503 to the target's own key it waits and tries again, too.
   */
  readonly fetch: typeof globalThis.fetch
  /**
   * Returns what `make` makes for the first case of a run that needs it; `made` holds it for each run. Another case waits for
   * it, and that is not time of its own.
   */
  shared<Value>(made: WeakMap<object, Promise<Value>>, make: () => Promise<Value>): Promise<Value>
  /** Waits, in milliseconds, as part of the time of the case. */
  sleep(ms: number): Promise<void>
  /** Milliseconds of the clock of the run. */
  now(): number
  /** Applies verifiers to an exchange, in order; the first that fails ends the case as a failure. */
  expect(exchange: Exchange, ...verifiers: readonly Verifier[]): void
  /** Ends the case as a failure unless `holds`; `exchange` is the evidence. */
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

export type CaseOptions = Pick<
  Case,
  'level' | 'exclusive' | 'waits' | 'sendsNothing' | 'thorough' | 'alwaysQuick'
>

/** Defines a case: `check('chat.plain', 'CHAT-1', 'a plain answer').run(async (t) => …)`. */
export function check(id: string, requirement: RequirementId, title: string) {
  const withOptions = (options: CaseOptions) => ({
    run: (run: Case['run']): Case => ({ id, requirement, title, run, ...options }),
  })
  return { ...withOptions({}), with: withOptions }
}

/** Variants of a case by slug, each with its title and its values. */
export type Variants<Values extends readonly unknown[]> = Readonly<
  Record<string, readonly [title: string, ...values: Values]>
>

/** Defines a case for each variant: `*` stands for the slug in the id, and for the title of the variant in the title. */
export function checkEach<Values extends readonly unknown[]>(
  id: string,
  requirement: RequirementId,
  title: string,
  variants: Variants<Values>,
) {
  const withOptions = (options: CaseOptions) => ({
    run: (run: (t: CaseContext, ...values: Values) => Promise<void>): readonly Case[] =>
      Object.entries(variants).map(([slug, [name, ...values]]) =>
        check(
          id.replace('*', slug),
          requirement,
          title.replace('*', () => name),
        )
          .with(options)
          .run((t) => run(t, ...values)),
      ),
  })
  return { ...withOptions({}), with: withOptions }
}
