// The causes of failed checks in published results: how they are kept from run to run, and shown in a table.
import { z } from 'zod'
import { type RequirementId, requirements } from '../../spec/catalogue/requirements.ts'
import { cell, listed } from '../report/labels.ts'
import type { Report } from '../report/schema.ts'

export const causeMembers = {
  /** The behaviour of the server or library, in one sentence. */
  cause: z.string().min(1),
  /** Public threads about it. */
  issues: z.array(z.string().url()).optional(),
}

/** The name of the cause of each check that failed or warned; '' until it is found. */
export const failedChecks = z.record(z.string(), z.string())
export type FailedChecks = z.infer<typeof failedChecks>

/** The failed checks of a run. A check that failed before keeps its cause; another one has none yet, ''. */
export function failedIn({ checks }: Pick<Report, 'checks'>, before: FailedChecks = {}): FailedChecks {
  const failed = checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')
  return Object.fromEntries(failed.map(({ id }) => [id, before[id] ?? '']))
}

export interface Cause {
  readonly cause: string
  readonly issues?: readonly string[] | undefined
}

/** The cells of one cause, as Markdown: what is done, its requirements, and the checks that fail by it. */
export function causeCells(
  name: string,
  { cause, issues = [] }: Cause,
  failed: FailedChecks,
  rowOf: (check: string) => RequirementId | undefined,
): { readonly what: string; readonly rows: string; readonly checks: string } {
  const checks = Object.keys(failed).filter((id) => failed[id] === name)
  const own = new Set(checks.map(rowOf))
  const rows = requirements.filter(({ id }) => own.has(id)).map(({ id }) => id)
  const known = issues.map((issue) => ` [${issueName(issue)}](${issue})`).join('')
  return { what: cell(cause) + known, rows: rows.join(', '), checks: listed(checks) }
}

/** `owner/name#1` for the address of a thread on GitHub. */
function issueName(address: string): string {
  const [, owner, name, , thread] = new URL(address).pathname.split('/')
  return `${owner}/${name}#${thread}`
}
