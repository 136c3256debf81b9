// The definition of a subject: a kind of program that the judge judges by checks of its own. `subjects/index.ts` lists them.
import type { Profile } from '../../harness/target-facts.ts'
import type { requirements } from '../../spec/catalogue/requirements.ts'
import type { Tier } from '../../spec/catalogue/section.ts'
import type { Check } from './check.ts'

/** The options that select the checks of a run. */
export interface SelectOptions {
  readonly profile: Profile
  readonly only?: string | undefined
  /** The tier of the rows; left out: both, and rows without a tier. */
  readonly tier?: Tier | undefined
  /** One check for each requirement that is not optional; for gateways, no check that waits. */
  readonly quick?: boolean | undefined
}

/** An example of a check: its title, and the exchange or the command as lines. */
export interface Example {
  readonly title: string
  readonly lines: readonly string[]
}

export interface Subject {
  readonly name: 'server' | 'client' | 'gateway' | 'recording' | 'pair'
  /** The rows that judge it in this profile, in reading order; a recording and a pair have none of their own. */
  rows(profile: Profile): typeof requirements
  /** Every check of the catalogue, in reading order. */
  readonly checks: readonly Check[]
  /** The checks that a run with these options reports, in reading order. */
  select(options: SelectOptions): readonly Check[]
  /** Returns the text behind the title of a check in a list, for example ` (of a client)`. */
  noteOn(check: Check): string
  /** An example that needs no run; undefined if only a run gives one. */
  exampleOf(check: Check): Example | undefined
}

/** The first of these checks' examples that need no run. */
export function firstExample(
  { exampleOf }: Pick<Subject, 'exampleOf'>,
  checks: readonly Check[],
): Example | undefined {
  for (const check of checks) {
    const example = exampleOf(check)
    if (example !== undefined) return example
  }
  return undefined
}

/** A function whose module is loaded by its first call: to list the checks of a subject, nothing that judges is needed. */
export const lazy =
  <Args extends readonly unknown[], Result>(load: () => Promise<(...args: Args) => Result>) =>
  async (...args: Args): Promise<Awaited<Result>> =>
    await (
      await load()
    )(...args)
