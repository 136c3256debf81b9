// Which failures are retried (RETRY-1, RETRY-2), and that the program reports each failure (READ-1).
import { refuse } from '../../../../harness/scripted-service/scripted-answers.ts'
import { type ClientCheck, type Scenario, check, scenario } from '../scenario.ts'
import { ENDLESS_MS } from '../verify/call-course.ts'
import { reportedFailure } from '../verify/program-output.ts'
import { notRetried } from '../verify/request-rules.ts'
import { PLAIN } from './usual-answers.ts'

/** Statuses next to those that are retried, and statuses that libraries retry by default. */
const BESIDE_THE_TABLE = [403, 408, 409, 418, 422, 425, 501, 502, 504]
const NEVER_UNCHANGED = [400, 401, 404]

function refusal(status: number, requirement: 'RETRY-1' | 'RETRY-2'): Scenario {
  return {
    name: `status-${status}`,
    script: [refuse(status)],
    // A program that retries it all the same still reports the failure at its end.
    boundMs: ENDLESS_MS,
    checks: [
      check(`retry.status-${status}`, requirement, `a ${status} is not retried`, notRetried),
      reportsFailure(`read.status-${status}`, `a ${status} is a failure`),
    ],
  }
}

/** The check that a program reports the failure of its scenario. */
export function reportsFailure(id: string, title: string): ClientCheck {
  return check(
    id,
    'READ-1',
    title,
    (observed, beside) =>
      reportedFailure(observed, beside(PLAIN), `the status was ${observed.attempts.at(-1)?.reply?.status}`),
    { beside: [PLAIN] },
  )
}

/** A refusal with headers that ask for a retry. */
function refusalWithHeaders(status: number, requirement: 'RETRY-1' | 'RETRY-2'): Scenario {
  const title = `a ${status} with \`x-should-retry: true\` and \`Retry-After: 1\` is not retried`
  return scenario(`retry.status-${status}-with-headers`, requirement, title)
    .with({
      name: `should-retry-${status}`,
      script: [refuse(status, { 'x-should-retry': 'true', 'retry-after': '1' })],
    })
    .verify(notRetried)
}

export const scenarios: readonly Scenario[] = [
  ...BESIDE_THE_TABLE.map((status) => refusal(status, 'RETRY-1')),
  ...NEVER_UNCHANGED.map((status) => refusal(status, 'RETRY-2')),
  refusalWithHeaders(400, 'RETRY-2'),
  refusalWithHeaders(409, 'RETRY-1'),
]
