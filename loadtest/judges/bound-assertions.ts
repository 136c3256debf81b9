// Compares the admitted requests of a key with the bounds of the theory.
import { type Assertion, assertion, type Headline, isAdmitted, isRefused, notJudged } from './judgement.ts'
import type { LoadAnswer } from '../k6/k6-record.ts'
import {
  busiest,
  type Counting,
  extent,
  leastAdmitted,
  leastApart,
  mostAdmitted,
} from '../theory/limiter-bounds.ts'

/** The offered and admitted requests, and the bounds for a limiter that counts like this. */
export function headlineOf(counting: Counting, answers: readonly LoadAnswer[]): Headline {
  const offered = answers.length
  return {
    offered,
    admitted: answers.filter(isAdmitted).length,
    refused: answers.filter(isRefused).length,
    lower: leastAdmitted(counting.limit, answers),
    upper: Math.min(offered, mostAdmitted(counting, extent(answers))),
  }
}

/** Asserts the upper bound, in the whole run and in every window. */
export function withinUpper(id: string, counting: Counting, answers: readonly LoadAnswer[]): Assertion {
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

/** A lower bound below this part of the limit is not useful. */
const USEFUL_PART = 0.5

/** Asserts the lower bound if the requests were even enough for a useful one. */
export function withinLower(id: string, counting: Counting, answers: readonly LoadAnswer[]): Assertion {
  const { admitted, lower } = headlineOf(counting, answers)
  const { requests, windowSeconds } = counting.limit
  const promised = requests * Math.floor(extent(answers) / windowSeconds)
  if (lower < promised * USEFUL_PART) return notJudged(id, 'at least the limit admitted', UNEVEN)
  return assertion(id, admitted >= lower, `at least ${lower} admitted`, String(admitted))
}

/** Asserts that some request was refused, which shows that there is a limit. */
export function enforced(answers: readonly LoadAnswer[]): Assertion {
  const refused = answers.filter(isRefused).length
  return assertion(
    'enforced',
    refused > 0,
    '429 far above the limit',
    `${refused} of ${answers.length} refused`,
  )
}

/** Assertions on a limit, which a run without any refusal cannot judge. `limited` is the assertion of `enforced`. */
export function ifEnforced(limited: Assertion, assertions: readonly Assertion[]): readonly Assertion[] {
  if (limited.outcome === 'pass') return assertions
  return assertions.map(({ id, expected }) => notJudged(id, expected, 'nothing is limited'))
}

/** Asserts that keys at half of their limit are never refused: every limiter admits that, even a bucket of one token. */
export function spared(id: string, counting: Counting, byKey: readonly (readonly LoadAnswer[])[]): Assertion {
  const expected = 'no 429 at half of the limit'
  const { requests, windowSeconds } = counting.limit
  if (requests < 2) return notJudged(id, expected, 'one request has no half')
  const answers = byKey.flat()
  const refused = answers.filter(isRefused).length
  // A refusal proves nothing if the requests may have come too close together.
  if (refused > 0 && byKey.some((answers) => leastApart(answers) <= windowSeconds / requests))
    return notJudged(id, expected, UNEVEN)
  return assertion(id, refused === 0, expected, `${refused} of ${answers.length} refused`)
}

/** Whether the lower bound detects a limiter that admits one request too few in every window. */
export function findsOneTooFew({ limit }: Counting, answers: readonly LoadAnswer[]): boolean {
  const windows = Math.floor(extent(answers) / limit.windowSeconds) + 1
  return leastAdmitted(limit, answers) > (limit.requests - 1) * windows
}

/** The reason why a run could not be judged: the machine or the service was too busy for an even load. */
export const UNEVEN = 'requests and answers came too unevenly to judge'
