// The requirements on the page of a report, in reading order.
import { requirements } from '../../../spec/catalogue/requirements.ts'
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
export function rowsOf({ requirements: judged, checks, coverage }: Report): readonly Row[] {
  const outcomes = new Map<string, Shown>([
    ...coverage.notCovered.map((id) => [id, 'not-covered'] as const),
    ...judged.map(({ id, outcome }) => [id, outcome] as const),
  ])
  const byRow = Map.groupBy(checks, ({ requirement }) => requirement)
  return requirements.flatMap(({ id, level }) => {
    const outcome = outcomes.get(id)
    return outcome === undefined ? [] : [{ id, level, outcome, checks: byRow.get(id) ?? [] }]
  })
}
