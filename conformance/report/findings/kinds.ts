// Kinds of failures by the status that was due and the one that came: how a failure meets the users of a service.
import type { ReportCheck } from '../../contract/report.ts'

/** The worst first. */
export const KINDS = [
  { name: 'breaks', title: 'fails on requests that it should answer or refuse' },
  { name: 'refuses', title: 'refuses valid requests' },
  { name: 'differs', title: 'answers otherwise than it should' },
  { name: 'accepts', title: 'answers requests that it should refuse' },
  { name: 'misnames', title: 'refuses with another status or error than it should' },
] as const
export type FailureKind = (typeof KINDS)[number]['name']

/** The received status in `status 400, {…}`, in `refused, but with 422, {…}`, or in the error of a client library, such as `APIError: 400 …`. */
export function statusIn({ actual = '' }: Pick<ReportCheck, 'actual'>): number | undefined {
  const [, status] = /^(?:(?:a )?status |refused, but with |\w*Error: )(\d{3})\b/.exec(actual) ?? []
  return status === undefined ? undefined : Number(status)
}

/**
 * The expected statuses: `a success` and `an answer below 500` for any wording of these, `status 400` if a 400 is among several,
 * else the statuses as the check names them, without the remark in parentheses. Undefined if the check expected something else.
 */
export function statusDue({ expected = '' }: Pick<ReportCheck, 'expected'>): string | undefined {
  if (/^a (?:success|call that works)\b/.test(expected)) return 'a success'
  if (/^(?:an answer below 500|no 5xx)\b/.test(expected)) return 'an answer below 500'
  const [statuses] = /^(?:a )?status \d{3}(?:(?:, | or )\d{3})*/.exec(expected) ?? []
  if (statuses?.includes('400')) return 'status 400'
  return statuses?.includes('20') ? 'a success' : statuses
}

/** The kind of a failed check. An error of the suite and a check without a verdict differ. */
export function kindOf(check: Pick<ReportCheck, 'expected' | 'actual' | 'outcome'>): FailureKind {
  const { expected = '', outcome } = check
  const [due, got] = [statusDue(check), statusIn(check)]
  if (outcome !== 'fail' && outcome !== 'warn') return 'differs'
  if (got === undefined) return expected === 'an answer' ? 'breaks' : 'differs'
  if (got >= 500) return 'breaks'
  const isRefusalDue = due !== 'a success'
  if (got < 400) return isRefusalDue ? 'accepts' : 'differs'
  return isRefusalDue ? 'misnames' : 'refuses'
}
