// The selection of checks, the same for every subject: by the rows of a profile, by `--tier`, and by `--only`.
import type { Check } from './check.ts'
import { tierOf } from '../../spec/catalogue/requirements.ts'
import type { Tier } from '../../spec/catalogue/section.ts'

export interface Wanted {
  /** The rows that are judged; left out: all. */
  readonly rows?: readonly { readonly id: string }[]
  /** A glob over the ids of checks and requirements; commas separate several. */
  readonly only?: string | undefined
  /** The tier of the rows; rows that judge no server have none. */
  readonly tier?: Tier | undefined
}

/** Returns a function that matches the selected checks. */
export function selector({ rows, only, tier }: Wanted): (check: Check) => boolean {
  const judged = rows && new Set(rows.map(({ id }) => id))
  const matches = checkMatcher(only)
  return (check) =>
    (judged?.has(check.requirement) ?? true) &&
    (tier === undefined || tierOf(check.requirement) === tier) &&
    matches(check)
}

/** The flags that leave out checks, as a message names them; empty if none does. */
export function narrowedBy({ only, tier }: Pick<Wanted, 'only' | 'tier'>): string {
  return [
    ...(only === undefined ? [] : ['--only', only]),
    ...(tier === undefined ? [] : ['--tier', tier]),
  ].join(' ')
}

/** Matches checks by their id or their requirement; without a pattern, all of them. */
export function checkMatcher(
  pattern: string | undefined,
): (check: { readonly id: string; readonly requirement: string }) => boolean {
  if (pattern === undefined) return () => true
  const matches = globMatcher(pattern)
  return ({ id, requirement }) => matches(id) || matches(requirement)
}

/** Matches whole ids, in any case: `*` is any run of characters, `?` any one, a comma separates alternatives. */
export function globMatcher(pattern: string): (id: string) => boolean {
  const alternatives = pattern.split(',').map((glob) => {
    const source = glob
      .trim()
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')
    return new RegExp(`^${source}$`, 'i')
  })
  return (id) => alternatives.some((alternative) => alternative.test(id))
}
