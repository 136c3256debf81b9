// Reports side by side: a row for each requirement, and what changed between two reports of one server.
import { basename } from 'node:path'
import { isRequirementId, requirements } from '../../spec/catalogue/requirements.ts'
import type { Report } from '../report/schema.ts'

/** One requirement, and what came of it in each report; `-` where it was not checked. */
export interface ComparedRow {
  readonly id: string
  readonly level: string
  readonly outcomes: readonly string[]
}

/** One check that ended in another way in the second report. */
export interface Change {
  readonly check: string
  readonly from: string
  readonly to: string
}

export interface Comparison {
  /** The columns: what each report judged. */
  readonly servers: readonly string[]
  readonly rows: readonly ComparedRow[]
  /** Only between two reports of one server: the checks that ended in another way, or came or went. */
  readonly changes: readonly Change[] | undefined
}

/** In place of an outcome where a report has none. */
export const NOT_CHECKED = '-'

/** Puts reports side by side, in reading order of the requirements. */
export function compareReports(
  given: readonly { readonly file: string; readonly report: Report }[],
): Comparison {
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
    servers: given.map(({ file, report }) => `${nameOf(report)} (${basename(file)})`),
    rows: [...checked]
      .map(([id, level]) => ({
        id,
        level,
        outcomes: reports.map((report) => outcomeOf(report.requirements, id)),
      }))
      .toSorted((a, b) => place(a.id) - place(b.id)),
    changes: same ? changesBetween(before, after) : undefined,
  }
}

function nameOf({ target }: Report): string {
  return `${target.baseUrl} ${target.model}`
}

function outcomeOf(list: readonly { readonly id: string; readonly outcome: string }[], id: string): string {
  return list.find((entry) => entry.id === id)?.outcome ?? NOT_CHECKED
}

function changesBetween(before: Report, after: Report): readonly Change[] {
  const ids = new Set([...before.checks, ...after.checks].map(({ id }) => id))
  return [...ids]
    .map((check) => ({ check, from: outcomeOf(before.checks, check), to: outcomeOf(after.checks, check) }))
    .filter(({ from, to }) => from !== to)
}

/** `A`, `B`, …: how a column is called. */
export function letterOf(column: number): string {
  return column < 26 ? String.fromCharCode(65 + column) : String(column + 1)
}
