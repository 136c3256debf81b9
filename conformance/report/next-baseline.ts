// The baseline that a run leads to: its failures and the capabilities that are not offered, each with a reason, and the report
// under that baseline.
import { parseBaseline, reasonFor, renderBaseline } from '../contract/baseline.ts'
import type { Report, ReportCheck } from '../contract/report.ts'
import { exitCode } from '../contract/verdict.ts'
import { cut, printable } from '../../harness/cli/text.ts'

/** The longest reason, in characters. */
const REASON_CHARS = 160

/** The reason of a check that a bound of the run left out, for example its time. */
const OF_BOUND = /\(--max-[a-z-]+\)/

/** Whether the run came to its end or to one of its own bounds. A run that ended otherwise shows too little for a baseline. */
export function isBaselineOf({ interrupted, endedEarly, exitCode: code }: Report): boolean {
  return interrupted !== true && code !== 2 && (endedEarly === undefined || OF_BOUND.test(endedEarly))
}

/** The text of a baseline for the next runs. It also expects a failure of what this run left out: that would not be a new one. */
export function nextBaseline({ checks, startedAt }: Report): string {
  const leftOut = ({ outcome, reason = '' }: ReportCheck): boolean =>
    outcome === 'inconclusive' && OF_BOUND.test(reason)
  const listed = checks.map((check) => (leftOut(check) ? { ...check, outcome: 'fail' as const } : check))
  return renderBaseline(
    listed,
    ({ reason = '' }) => `as found on ${startedAt.slice(0, 10)}: ${cut(printable(reason), REASON_CHARS)}`,
  )
}

/** The report as a run with this baseline, which expects all of it, would have made it. */
export function underBaseline(report: Report, text: string) {
  const baseline = parseBaseline(text, () => true)
  const checks = report.checks.map((check) => {
    const reason = reasonFor(baseline, check)
    return reason === undefined ? check : { ...check, baseline: reason }
  })
  const { missingCapabilities: missing, unknownCapabilities: unknown = [], faults } = report
  const expected = new Set(baseline.keys())
  const code = exitCode(checks, { expected, missing, unknown, faults, allowIncomplete: true })
  const failures = checks.filter(({ outcome }) => outcome === 'fail').length
  return { failures, report: { ...report, checks, noLongerOffered: [], exitCode: code } }
}
