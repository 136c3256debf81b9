// The bounds of the theory held against what one key was admitted.
import { type Assertion, assertion, type Headline, isAdmitted, isRefused, notJudged } from './judgement.ts'
import type { Answer } from './record.ts'
import { busiest, type Counting, extent, leastAdmitted, mostAdmitted } from './theory.ts'

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

/** No less than the bound. */
export function withinLower(id: string, counting: Counting, answers: readonly Answer[]): Assertion {
  const { admitted, lower } = headlineOf(counting, answers)
  if (lower === 0)
    return notJudged(id, 'no less admitted than the limit allows', 'the load was too uneven to tell')
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
