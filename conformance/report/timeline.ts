// The attempts of a client as lines: the arrival, the status, the actual wait and the due wait of each.
import type { ReportCheck } from '../contract/report.ts'

/** A time as text: `1.25 s`. */
export function secondsOf(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}

/** One line for each attempt; none if there was only one. */
export function renderTimeline({ attempts = [] }: Pick<ReportCheck, 'attempts'>): readonly string[] {
  if (attempts.length < 2) return []
  return attempts.map(({ atMs, status, waitedMs, dueMs }, at) => {
    const waited = waitedMs === null ? '' : `  waited ${secondsOf(waitedMs)}`
    const due = dueMs === null ? '' : `  due ${secondsOf(dueMs)}`
    return `${String(at + 1).padStart(2)}  at ${secondsOf(atMs).padStart(8)}  ${status ?? 'no answer'}${waited}${due}`
  })
}
