// The comparison of reports: a row for each requirement, and the changes between two reports of one server.
import { basename } from 'node:path'
import { isRequirementId, requirements } from '../../../spec/catalogue/requirements.ts'
import { tierCounts } from '../../contract/verdict.ts'
import { plural } from '../labels.ts'
import type { Report } from '../../contract/report.ts'

export type Comparison = ReturnType<typeof compareReports>

export type ComparedRow = Comparison['rows'][number]

export type Change = ReturnType<typeof changesBetween>[number]

/** Replaces an outcome that a report does not have. */
const NOT_CHECKED = '-'

/** Compares reports, in reading order of the requirements. */
export function compareReports(given: readonly { readonly file: string; readonly report: Report }[]) {
  const reports = given.map(({ report }) => report)
  const order = requirements.map(({ id }): string => id)
  const checked = new Map(
    reports.flatMap((report) => report.requirements.map(({ id, level }) => [id, level])),
  )
  const place = (id: string): number => (isRequirementId(id) ? order.indexOf(id) : order.length)
  const [before, after, ...more] = reports
  const same =
    before !== undefined && after !== undefined && more.length === 0 && nameOf(before) === nameOf(after)
  return {
    /** The columns: the target of each report. */
    servers: given.map(({ file, report }) => `${nameOf(report)} (${basename(file)})`),
    /** The rows that hold in each report, by tier; null if it judges no server. */
    tiers: reports.map(({ requirements: rows }) => tierCounts(rows) ?? null),
    rows: [...checked]
      .map(([id, level]) => ({
        id,
        level,
        outcomes: reports.map((report) => outcomeOf(report.requirements, id)),
      }))
      .toSorted((a, b) => place(a.id) - place(b.id)),
    /** The checks that were added, removed, or have another outcome, if two reports are of one server. */
    changes: same ? changesBetween(before, after) : undefined,
  }
}

export function differs({ outcomes }: ComparedRow): boolean {
  return new Set(outcomes).size > 1
}

/** `3 of 10 requirements differ.` */
export function countDiffering(rows: readonly ComparedRow[]): string {
  const count = rows.filter(differs).length
  return `${count} of ${plural(rows.length, 'requirement')} ${count === 1 ? 'differs' : 'differ'}.`
}

function nameOf({ target }: Report): string {
  return `${target.baseUrl} ${target.model}`
}

function outcomeOf(list: readonly { readonly id: string; readonly outcome: string }[], id: string): string {
  return list.find((entry) => entry.id === id)?.outcome ?? NOT_CHECKED
}

function changesBetween(before: Report, after: Report) {
  const ids = new Set([...before.checks, ...after.checks].map(({ id }) => id))
  return [...ids]
    .map((check) => ({ check, from: outcomeOf(before.checks, check), to: outcomeOf(after.checks, check) }))
    .filter(({ from, to }) => from !== to)
}

/** The name of a column: `A`, `B`, … */
export function letterOf(column: number): string {
  return column < 26 ? String.fromCharCode(65 + column) : String(column + 1)
}
