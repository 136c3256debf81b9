// What a requirement is, and how a section of the catalogue writes its rows.

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

/** One row of the catalogue. `source` is a section of the specification, `wire` for the format itself, or `gateways` for rules beyond both. */
export interface Requirement {
  readonly id: string
  readonly level: Level
  /** The level in profile `wire`, if it is lower there. */
  readonly wireLevel?: Level
  readonly subject: Subject
  readonly source: string
  /** The profiles whose runs judge it. */
  readonly profiles: readonly Profile[]
  /** Rows that judge servers have one, because most deployments hold what a client library needs, and accept what they should refuse. */
  readonly tier: Tier | undefined
  readonly brokenBy?: readonly Fault[]
  /** It is about the header `Authorization` itself: not applicable if a target has its key in another header. */
  readonly isOfAuthorization?: true
  /** The requirement; the part in parentheses says which other answers are accepted. */
  readonly text: string
}

/** The level and the text of a row, and `strict` before the text if a row of servers is not of tier `interop`. */
export type Rule = `${Level}${'' | ' strict'}: ${string}`

/** Rows by id, in the order of their numbers: the rule, or the rule and how the row differs from its section. */
export interface Section extends Pick<Requirement, 'source' | 'subject'> {
  /** The format has its rows, although the specification states them. */
  readonly isOfFormat?: true
  readonly rows: Readonly<Record<string, Rule | Exception>>
}

export type Exception = { readonly rule: Rule } & Partial<
  Pick<Requirement, 'source' | 'subject' | 'wireLevel' | 'brokenBy' | 'isOfAuthorization'>
>
