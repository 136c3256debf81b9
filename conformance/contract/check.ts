// The definition of a check. Whatever is judged (a server, a client, a gateway or a recording), it is data and one function:
// an id, the row of the catalogue that it judges, a title, and a function that returns if the row holds and throws an
// outcome of `outcome.ts` if it does not. `result.ts` turns that end into the result that every report shows.
//
// The function has one of two styles:
// - A case of a server acts: it sends requests, looks at the answers and sends more (`subjects/server/case.ts`).
// - A check of evidence looks at what was already seen: an observer at each exchange of a run (`observer.ts`), a check of
//   clients at what a program did (`subjects/client/scenario.ts`), a check of gateways at both sides of a request
//   (`subjects/gateway/crossing.ts`).
import { type RequirementId, levelIn, requirement } from '../../spec/catalogue/requirements.ts'
import type { Level } from '../../spec/catalogue/section.ts'
import type { Profile } from '../../harness/target-facts.ts'

/** The members that every check has, whatever it judges. */
export interface Check {
  /** A stable slug, `section.what-is-tried`; the same for pass and fail. */
  readonly id: string
  readonly requirement: RequirementId
  /** The attempt, in a few words, such as `no Authorization header`. */
  readonly title: string
  /** Lower than the level of the row, if the check tries a part of it that is only a warning. */
  readonly level?: Level
}

/** A check of evidence. `verify` returns if the row holds; else it throws a `CheckFailure`, `NotApplicable` or `Inconclusive`. */
export interface EvidenceCheck<Evidence extends readonly unknown[]> extends Check {
  verify(...evidence: Evidence): void
}

/** The head of a result: the members of its check, with the level that applies. */
export type CheckHead = Pick<Check, 'id' | 'requirement' | 'title'> & { readonly level: Level }

/** Returns the head of a check; its level is that of its row in the profile unless the check has a lower one. */
export function headOf(check: Check, profile: Profile = 'service'): CheckHead {
  const { id, requirement: row, title, level = levelIn(profile, requirement(row)) } = check
  return { id, requirement: row, level, title }
}

/**
 * Returns the checks of one subject. Throws if two ids are equal, an id is not a slug, or a row judges another subject.
 */
export function validated<Each extends Check>(
  checks: readonly Each[],
  subject: 'server' | 'client' | 'gateway',
): readonly Each[] {
  const ids = new Set<string>()
  for (const { id, requirement: row } of checks) {
    if (!/^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$/.test(id)) throw new Error(`${id} is not a valid check id`)
    if (ids.has(id)) throw new Error(`two checks have the id ${id}`)
    if (requirement(row).subject !== subject) throw new Error(`${id}: ${row} does not judge a ${subject}`)
    ids.add(id)
  }
  return checks
}
