// The form of a requirement, and the way in which a section of the catalogue writes its rows.

/** MUST fails a run, SHOULD warns (and fails under `--strict`), MAY is reported only. */
export type Level = 'MUST' | 'SHOULD' | 'MAY'

/** The subject of a row: a service, a program that calls one, a gateway between them, this project's key page, or its own judge. */
export type Subject = 'server' | 'client' | 'gateway' | 'dashboard' | 'suite'

/** `interop`: a valid request works, and its answer can be read; `strict`: invalid requests are refused properly, and formalities. */
export const TIERS = ['interop', 'strict'] as const
export type Tier = (typeof TIERS)[number]

/** `service` has all rows, `wire` those of the chat completions format alone. */
export type Profile = 'service' | 'wire'

/**
 * The faults below HTTP that break a row itself, because it requires the opposite. For every other row the check is repeated, and
 * then inconclusive. `answer`: there is any answer; `connection`: it does not break; `time`: the answer is in time;
 * `framing`: it is framed as HTTP allows; `end`: it is complete, as it is if the connection does not break.
 */
type Fault = 'answer' | 'connection' | 'time' | 'framing' | 'end'

/** An answer, or a part of one, that a row requires: the row judges an answer that cannot be read as that. */
export type Due =
  | 'completion'
  | 'stream'
  | 'error'
  | 'model list'
  | 'model record'
  | 'stored completions'
  | 'prompt count'

/** The facts that only some rows have. A section has them for each of its rows. */
interface Facts {
  /** The level in profile `wire`, if it is lower there. */
  readonly wireLevel?: Level
  readonly brokenBy?: readonly Fault[]
  /** The answer that it requires; no two rows require the same. */
  readonly requires?: Due
  /** The part of an exchange that it judges, and that a recording may lack. */
  readonly about?: 'key' | 'header' | 'content type'
  /** It is about the header `Authorization` itself: not applicable if a target has its key in another header. */
  readonly isOfAuthorization?: true
  /** The reason why no recording shows it. */
  readonly notRecorded?: string
  /** The format leaves it open: the rule of this service, which other services may not have. */
  readonly isOfThisService?: true
  /** The specification demands it by adopting the format; it has no sentence of its own. Rows of source `wire` are so without it. */
  readonly isAdopted?: true
}

/** One row of the catalogue. `source` is a section of the specification, `wire` for the format itself, or `gateways` for rules beyond both. */
export interface Requirement extends Facts {
  readonly id: string
  readonly level: Level
  readonly subject: Subject
  readonly source: string
  /** The profiles whose runs judge it. */
  readonly profiles: readonly Profile[]
  /** Rows that judge servers have one, because most deployments hold what a client library needs, and accept what they should refuse. */
  readonly tier: Tier | undefined
  /** The requirement; the part in parentheses says which other answers are accepted. */
  readonly text: string
}

/** The level and the text of a row, and `strict` before the text if a row of servers is not of tier `interop`. */
export type Rule = `${Level}${'' | ' strict'}: ${string}`

/** A row with facts that its section does not have. */
export type RuleWithFacts = { readonly rule: Rule } & Partial<Pick<Requirement, 'source' | 'subject'>> & Facts

/** Rows by id, in the order of their numbers, and the facts that all of them have. */
export interface Section extends Pick<Requirement, 'source' | 'subject'>, Facts {
  /** The format has its rows, although the specification states them. */
  readonly isOfFormat?: true
  readonly rows: Readonly<Record<string, Rule | RuleWithFacts>>
}
