// What the judge knows of a target. Facts are discovered when a case first asks for them, memoized, and kept with how
// they were discovered.
import type { MadeKey, NewKeyOptions } from '../../harness/keys/key-command.ts'
import type { RequestLimit, TargetFacts } from '../../harness/target-facts.ts'
import type { Members } from './capabilities.ts'

/** What a client library is given for a key where the target needs none: no library takes an empty one. */
export const NO_KEY = 'none'

/** Where every request for an answer goes. */
export const CHAT_PATH = '/v1/chat/completions'

/** The members of a request that bound its answer, in tokens. */
export type TokenBound = Readonly<Partial<Record<(typeof TOKEN_BOUNDS)[number], number>>>
export const TOKEN_BOUNDS = ['max_tokens', 'max_completion_tokens'] as const

/** One fact, as the report shows it. */
export interface DiscoveredFact {
  readonly name: string
  readonly value: unknown
  /** How it was discovered, as `--model`, `GET /v1/models` or `environment`. */
  readonly learned: string
}

export interface LimitedKey {
  readonly key: string
  /**
   * Its limit where it was given, or where the key was made with it. (Whatever else gives the limit costs requests of
   * that key: a case asks for itself.)
   */
  readonly limit?: RequestLimit
  /** The key command was asked for that limit: whether it obeyed is to be seen. */
  readonly isMade?: true
}

/**
 * The target of a run. Where a method needs something that was not given and cannot be made, it ends the case as
 * inconclusive, naming the environment variable that would let the row be judged.
 */
export interface Target extends TargetFacts {
  /** The main key; '' where the target needs none (profile `wire`). */
  readonly key: string
  /** A token id of the model and the text that it stands for (`logit_bias`); undefined where none is known. */
  readonly token: { readonly id: string; readonly text: string } | undefined
  /** The model ids that `GET /v1/models` lists for the main key; empty where it lists none. */
  models(): Promise<readonly string[]>
  /** It repeats two random texts exactly. */
  echoes(): Promise<boolean>
  /** The same request three times (temperature 0, a seed) gives the same text. */
  deterministic(): Promise<boolean>
  /**
   * Returns whether a request field is supported: false only where the smallest valid request with it is refused with
   * a 400 that names it. `members` replaces the members of that request beside `model` and `messages`, which are
   * known for the fields of the format; a member `messages` replaces those.
   */
  supports(field: string, members?: Members): Promise<boolean>
  /**
   * What keeps an answer short where its length is no matter, to be spread into a request: `max_tokens`, or
   * `max_completion_tokens` where that is refused. Empty where both are, and for a model that echoes, whose answer is
   * the length of the question. Without `tokens` it is enough for a few words; what reads an answer that has to come to
   * its end asks through `CaseContext.finished`.
   */
  brief(tokens?: number): Promise<TokenBound>
  /** Ends the case as not applicable unless the model echoes. */
  requireEcho(): Promise<void>
  /** Ends the case as not applicable unless the model is deterministic. */
  requireDeterministic(): Promise<void>
  /** Ends the case as not applicable where the field is refused by name. Same parameters as `supports`. */
  requireField(field: string, members?: Members): Promise<void>
  /** Another valid key beside the main one. */
  secondKey(): Promise<string>
  /** A key that was valid and is revoked. */
  revokedKey(): Promise<string>
  /** A key, and a model that exists and that this key may not use. */
  restricted(): Promise<{ readonly key: string; readonly model: string }>
  /** The key whose limit may be exhausted (in `exclusive` cases). */
  limited(): Promise<LimitedKey>
  /** Makes a key (with a generous limit where none is asked for), revoked at the end of the run at the latest. */
  createKey(options?: NewKeyOptions): Promise<MadeKey>
  /** Revokes a key that `createKey` made. */
  revokeKey(id: string): Promise<void>
}

/** Beside what cases see: what the report shows of a target. */
export interface DiscoveredTarget extends Target {
  /** What was discovered so far, in that order. */
  facts(): readonly DiscoveredFact[]
  /** The capabilities that were asked about so far. */
  capabilities(): readonly { readonly name: string; readonly offered: boolean; readonly learned: string }[]
}
