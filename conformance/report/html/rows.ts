// The requirements on the page of a report, in reading order.
import { requirements } from '../../../spec/catalogue/requirements.ts'
import type { Shown } from '../outcome-style.ts'
import type { Report, ReportCheck } from '../../contract/report.ts'

/** A requirement with its checks. */
export interface RequirementRow {
  readonly id: string
  readonly level: string
  readonly outcome: Shown
  readonly checks: readonly ReportCheck[]
}

/** Every row that was checked, and every row without a check, so that a gap is visible. */
export function rowsOf({ requirements: judged, checks, coverage }: Report): readonly RequirementRow[] {
  const known = new Map<string, { readonly outcome: Shown; readonly level?: string }>([
    ...coverage.notCovered.map((id) => [id, { outcome: 'not-covered' }] as const),
    ...judged.map((row) => [row.id, row] as const),
  ])
  const byRow = Map.groupBy(checks, ({ requirement }) => requirement)
  return requirements.flatMap(({ id, level }) => {
    const row = known.get(id)
    return row === undefined ? [] : [{ id, level, ...row, checks: byRow.get(id) ?? [] }]
  })
}
