// The part of the server's subject that needs no function of a check, so that a list is made without loading the cases.
import type { Check } from '../../contract/check.ts'
import type { SelectOptions, Subject } from '../../contract/subject.ts'
import { rowsOf } from '../../contract/verdict.ts'
import { estimate } from './cost-estimate.ts'
import { WITHOUT_EXAMPLE, exampleOf } from './examples.ts'
import { type CaseHead, type Catalogue, select } from './selection.ts'

export function serverListing(catalogue: Catalogue<CaseHead, Check>) {
  const checks = ({ cases, observers }: Catalogue<CaseHead, Check>): readonly Check[] => [
    ...cases,
    ...observers,
  ]
  const observers = new Set(catalogue.observers.map(({ id }) => id))
  return {
    name: 'server',
    rows: rowsOf,
    checks: checks(catalogue),
    select: (options) => checks(select(catalogue, options)),
    noteOn: ({ id }) => (observers.has(id) ? ' (on every exchange)' : ''),
    exampleOf,
    withoutExample: WITHOUT_EXAMPLE,
    /** The cost of a run of the selected checks. */
    estimate: (options: SelectOptions, runs: number) => estimate(select(catalogue, options), runs),
  } satisfies Subject & Record<string, unknown>
}
