// The verdict as a badge, in the endpoint format of shields.io: the subject, and how many MUSTs hold.
import type { Report } from '../contract/report.ts'

const COLORS = { 0: 'brightgreen', 1: 'red', 2: 'lightgrey', 3: 'yellow' } as const

/** A JSON object for https://img.shields.io/endpoint?url=… */
export function renderBadge({ subject, target, coverage, requirements, exitCode }: Report): string {
  const failed = requirements.filter(({ level, outcome }) => level === 'MUST' && outcome === 'fail').length
  const hold = `${coverage.judged - failed} of ${coverage.applicable} MUST`
  const badge = {
    schemaVersion: 1,
    label: `touchstone ${subject ?? target.profile}`,
    message: exitCode === 2 ? 'no verdict' : hold,
    color: COLORS[exitCode],
    ...(exitCode === 2 ? { isError: true } : {}),
  }
  return `${JSON.stringify(badge)}\n`
}
