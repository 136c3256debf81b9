// The facts about a target. Each fact is discovered when a case first needs it, and recorded with its source.
import type { MadeKey, NewKeyOptions } from '../../harness/keys/key-command.ts'
import type { RequestLimit, TargetFacts } from '../../harness/target-facts.ts'
import type { Exchange } from '../../harness/http/exchange.ts'
import type { Puppet } from '../../spec/schemas/puppet.ts'
import type { Members } from './capabilities.ts'

/** The key for a client library if the target needs none: no library accepts an empty key. */
export const NO_KEY = 'none'

/** The root that `CaseContext.fetch` sends to the target, whatever the address of that is. */
export const FETCH_ROOT = 'http://target.invalid'

export const CHAT_PATH = '/v1/chat/completions'

/** The members of a request that bound its answer, in tokens. */
export type TokenBound = Readonly<Partial<Record<(typeof TOKEN_BOUNDS)[number], number>>>
export const TOKEN_BOUNDS = ['max_tokens', 'max_completion_tokens'] as const

/** How fast the model computes. */
export interface Pace {
  /** The time for one token of an answer, in milliseconds. */
  readonly tokenMs: number
  /** Two answers at the same time take about as long as two in turn. */
  readonly isSerial: boolean
  /** Two answers at the same time slow each other down, because they share the processor that one answer uses up. */
  readonly isShared: boolean
}

/** The bounds of answers, in tokens, and of the run. */
export interface Plan {
  /** The bound for a few words. Few models write only the one word that they should. */
  readonly briefTokens: number
  /** The bound for a first attempt at a whole answer, with four times as many if it is cut. */
  readonly wholeTokens: number
  /** The highest bound of a request. */
  readonly mostTokens: number
  /** Checks that run concurrently; undefined if that is adapted while they run. */
  readonly concurrency: number | undefined
  /** Undefined for a model whose speed does not matter. */
  readonly pace: Pace | undefined
}

export interface SteadyAnswer {
  /** Its members beside `model`. */
  readonly request: Members
  readonly exchange: Exchange
}

/** A token of the model whose id and text are both known. */
export interface KnownToken {
  readonly id: string
  readonly text: string
  /** The members of a request that is always answered with it; left out if none is known. */
  readonly request?: Members
}

/** One fact, as the report shows it. */
export interface DiscoveredFact {
  readonly name: string
  readonly value: unknown
  /** The source of the fact, for example `--model` or `GET /v1/models`. */
  readonly learned: string
}

/** The keys that a run was given. */
export interface GivenKeys {
  readonly main?: string | undefined
  readonly second?: string | undefined
  readonly revoked?: string | undefined
  readonly restricted?: { readonly key: string; readonly model: string } | undefined
  readonly limited?: string | undefined
}

export interface LimitedKey {
  readonly key: string
  /**
   * Its limit, if it was given or the key was made with it. Other ways to discover the limit cost requests of that key,
   * so a case does that itself.
   */
  readonly limit?: RequestLimit
  /** The key command was given that limit; whether it obeyed is unknown. */
  readonly isMade?: true
}

/**
 * The target of a run. A method that needs something that was not given and cannot be made ends the case as
 * inconclusive, and names the environment variable that would let the row be judged.
 */
export interface Target extends TargetFacts {
  /** The main key; '' where the target needs none (profile `wire`). */
  readonly key: string
  /** The header for the key alone; undefined: `Authorization`, with `Bearer` before the key. */
  readonly authHeader?: string | undefined
  /** The texts that the model says, if they are known. */
  readonly puppet?: Puppet | undefined
  /** A token of the model (`logit_bias`), given or found; undefined if there is none. */
  token(): Promise<KnownToken | undefined>
  /** The model ids that `GET /v1/models` lists for the main key; may be empty. */
  models(): Promise<readonly string[]>
  /** It repeats two random texts exactly. */
  echoes(): Promise<boolean>
  /** It gives one text for a request that is sent three times (temperature 0, a seed). */
  deterministic(): Promise<boolean>
  /**
   * Returns whether a request field is supported: false only if the smallest valid request with it is refused with a
   * 400 that names it. `members` replaces the members of that request beside `model` and `messages`, which are known
   * for the fields of the format; a member `messages` replaces those.
   */
  supports(field: string, members?: Members): Promise<boolean>
  /**
   * Members that keep an answer short if its length does not matter: `max_tokens`, or `max_completion_tokens` if the
   * target refuses that. Empty if it refuses both, and for a model that echoes, because its answer is as long as the
   * question. The default allows a few words; a case that needs a whole answer uses `CaseContext.finished`. No bound is
   * above that of the plan.
   */
  brief(tokens?: number): Promise<TokenBound>
  /** The bounds that suit the pace of the model; those of a fast one before it has answered. */
  plan(): Plan
  /** Ends the case as not applicable unless the model echoes. */
  requireEcho(): Promise<void>
  /** Ends the case as not applicable unless the model is deterministic. Returns an answer that it always gives. */
  requireDeterministic(): Promise<SteadyAnswer>
  /** Ends the case as not applicable if the field is refused by name. Same parameters as `supports`. */
  requireField(field: string, members?: Members): Promise<void>
  /** Another valid key beside the main one. */
  secondKey(): Promise<string>
  /** A key that was valid and is revoked. */
  revokedKey(): Promise<string>
  /** A key, and a model that exists and that this key may not use. */
  restricted(): Promise<{ readonly key: string; readonly model: string }>
  /** The key whose limit may be exhausted (in `exclusive` cases). */
  limited(): Promise<LimitedKey>
  /** Makes a key, by default with a generous limit. It is revoked at the end of the run at the latest. */
  createKey(options?: NewKeyOptions): Promise<MadeKey>
  revokeKey(id: string): Promise<void>
}

/** The target as the report sees it. */
export interface DiscoveredTarget extends Target {
  facts(): readonly DiscoveredFact[]
  /** The capabilities that were asked about so far. */
  capabilities(): readonly { readonly name: string; readonly offered: boolean; readonly learned: string }[]
}
