// The bounds of the theory held against what one key was admitted.
import {
  type Assertion,
  assertion,
  type Headline,
  isAdmitted,
  isRefused,
  notJudged,
} from '../judges/judgement.ts'
import type { Answer } from '../k6/record.ts'
import { busiest, type Counting, extent, leastAdmitted, leastApart, mostAdmitted } from './theory.ts'

/** Offered, admitted, and what a limiter that counts like this admits of it. */
export function headlineOf(counting: Counting, answers: readonly Answer[]): Headline {
  const offered = answers.length
  return {
    offered,
    admitted: answers.filter(isAdmitted).length,
    refused: answers.filter(isRefused).length,
    lower: leastAdmitted(counting.limit, answers),
    upper: Math.min(offered, mostAdmitted(counting, extent(answers))),
  }
}

/** No more than the bound, in the whole and in every window. */
export function withinUpper(id: string, counting: Counting, answers: readonly Answer[]): Assertion {
  const { admitted, upper } = headlineOf(counting, answers)
  const { windowSeconds } = counting.limit
  const inWindow = busiest(answers.filter(isAdmitted), windowSeconds)
  const mostInWindow = mostAdmitted(counting, windowSeconds)
  return assertion(
    id,
    admitted <= upper && inWindow <= mostInWindow,
    `at most ${upper} admitted, and ${mostInWindow} in any ${windowSeconds} s`,
    `${admitted}, and ${inWindow}`,
  )
}

/** The part of a limiter's promise that a run must be able to see. */
const TELLING_PART = 0.5

/** No less than the bound, where requests came evenly enough for a bound that says something. */
export function withinLower(id: string, counting: Counting, answers: readonly Answer[]): Assertion {
  const { admitted, lower } = headlineOf(counting, answers)
  const { requests, windowSeconds } = counting.limit
  const promised = requests * Math.floor(extent(answers) / windowSeconds)
  if (lower < promised * TELLING_PART) return notJudged(id, 'no less admitted than the limit allows', UNEVEN)
  return assertion(id, admitted >= lower, `at least ${lower} admitted`, String(admitted))
}

/** Something was refused: there is a limit at all. */
export function enforced(answers: readonly Answer[]): Assertion {
  const refused = answers.filter(isRefused).length
  return assertion(
    'enforced',
    refused > 0,
    '429 far above the limit',
    `${refused} of ${answers.length} refused`,
  )
}

/** Nothing is refused to keys at half of their limit: any window has room for that, and a bucket of one token too. */
export function spared(id: string, counting: Counting, byKey: readonly (readonly Answer[])[]): Assertion {
  const expected = 'no 429 at half of the limit'
  const { requests, windowSeconds } = counting.limit
  if (requests < 2) return notJudged(id, expected, 'one request has no half')
  const answers = byKey.flat()
  const refused = answers.filter(isRefused).length
  // What was refused may have come in a heap; what was not holds however it came.
  if (refused > 0 && byKey.some((answers) => leastApart(answers) <= windowSeconds / requests))
    return notJudged(id, expected, UNEVEN)
  return assertion(id, refused === 0, expected, `${refused} of ${answers.length} refused`)
}

/** Whether a limiter that admits one request less than its limit in every window would be below the bound. */
export function findsOneTooFew({ limit }: Counting, answers: readonly Answer[]): boolean {
  const windows = Math.floor(extent(answers) / limit.windowSeconds) + 1
  return leastAdmitted(limit, answers) > (limit.requests - 1) * windows
}

/** Why a run could not be judged: the machine was too busy for an even load, or the service for even answers. */
export const UNEVEN = 'requests and answers came too unevenly to judge'
