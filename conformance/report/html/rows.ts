// The requirements on the page of a report, in reading order.
import { isRequirementId, requirement } from '../../../spec/catalogue/requirements.ts'
import { SECTIONS, sectionOf } from '../labels.ts'
import type { Shown } from '../outcome-style.ts'
import type { Report, ReportCheck } from '../../contract/report.ts'

/** A requirement with its checks. */
export interface Row {
  readonly id: string
  readonly level: string
  readonly outcome: Shown
  readonly checks: readonly ReportCheck[]
}

/** Every row that was checked, and every row without a check, so that a gap is visible. */
export function rowsOf({ requirements, checks, coverage }: Report): readonly Row[] {
  const byRow = Map.groupBy(checks, (check) => check.requirement)
  const judged = requirements.map((row): Row => ({ ...row, checks: byRow.get(row.id) ?? [] }))
  const listed = new Set(requirements.map(({ id }) => id))
  const missing = coverage.notCovered
    .filter((id) => !listed.has(id))
    .map((id): Row => ({ id, level: levelOf(id), outcome: 'not-covered', checks: [] }))
  return [...judged, ...missing].toSorted((a, b) => place(a.id) - place(b.id) || number(a.id) - number(b.id))
}

function levelOf(id: string): string {
  return isRequirementId(id) ? requirement(id).level : ''
}

function place(id: string): number {
  return SECTIONS.findIndex(({ name }) => name === sectionOf(id))
}

function number(id: string): number {
  return Number(/\d+$/.exec(id)?.[0] ?? 0)
}
