// Reduces a combination of settings that shows a failure to the fewest that still show it.
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import type { Mismatch } from '../../../../../harness/verify/verify.ts'
import { type Combination, isValid } from './settings.ts'

export interface Failure {
  readonly combination: Combination
  readonly exchange: Exchange
  readonly mismatch: Mismatch
}

/** Sends a combination, and returns how it fails; undefined if it does not. */
export type Fails = (combination: Combination) => Promise<Failure | undefined>

/**
 * Leaves out one setting after the other and keeps what still fails: as many tries as there are settings, because a setting
 * comes before those that need it, and the last ones are left out first.
 */
export async function smallestFailure(found: Failure, fails: Fails): Promise<Failure> {
  let smallest = found
  for (const setting of found.combination.toReversed()) {
    const fewer = smallest.combination.filter((other) => other !== setting)
    if (isValid(fewer)) smallest = (await fails(fewer)) ?? smallest
  }
  return smallest
}
