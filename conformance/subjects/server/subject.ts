// The server as a subject, and what other parts of the judge may use of it.
import type { Settings } from '../../contract/settings.ts'
import { type Subject, lazy } from '../../contract/subject.ts'
import { fullCatalogue } from './catalogue.ts'
import { COSTS, DISCOVERY } from './costs.ts'
import { serverListing } from './listing.ts'
import type { ChecksToRun } from './run-checks.ts'
import { covered, select } from './selection.ts'

const catalogue = fullCatalogue()
const runChecks = lazy(async () => (await import('./run-checks.ts')).runChecks)

export const server = {
  ...serverListing(catalogue),
  catalogue,
  selection: select,
  covered,
  costs: COSTS,
  discovery: DISCOVERY,
  judge: lazy(async () => (await import('./judge.ts')).judge),
  runChecks,
  /** The selected checks of a server that another subject is in front of. */
  behind(settings: Settings) {
    const selection = select(catalogue, settings)
    type Run = Omit<ChecksToRun, 'options' | 'selection'>
    return {
      observers: selection.observers,
      selected: selection.cases.length + selection.observers.length,
      run: (run: Run) => runChecks({ ...run, options: settings, selection }),
      async runAgain(ids: ReadonlySet<string>, run: Run) {
        const cases = selection.cases.filter(({ id }) => ids.has(id))
        if (cases.length === 0) return { results: [] }
        const options = { ...settings, concurrency: 1, capture: undefined }
        const events = { ...run.events, onBegin() {} }
        return runChecks({ ...run, options, events, selection: { cases, observers: [], traffic: [] } })
      },
    }
  },
} satisfies Subject & Record<string, unknown>
