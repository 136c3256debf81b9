// `npm run docs` writes the generated parts of the documents; with `--check` it reports the documents that are out of date
// instead, and exits with 1.
import { readFileSync, writeFileSync } from 'node:fs'
import { withVariableTable } from './conformance/contract/environment/program-environment.ts'
import { heldByTests } from './conformance/record/traceability/held-by-tests.ts'
import { renderTraceability } from './conformance/record/traceability/traceability.ts'
import { withCredentialTable } from './conformance/exchanges/credential-table.ts'
import { renderBundleSchema } from './conformance/bundle/bundle-schema.ts'
import { FLAGS as JUDGE } from './conformance/cli/judge-flags.ts'
import { FLAGS as FUZZER } from './conformance/lab/fuzz/fuzz-flags.ts'
import { CHECKS } from './conformance/record/results/check-index.ts'
import { renderResultsSchema } from './conformance/record/results/results-schema.ts'
import { FLAGS as PAIRS } from './conformance/record/pairs/pairs-flags.ts'
import { withMatrix } from './conformance/record/pairs/pairs-matrix.ts'
import { readPairs } from './conformance/record/results/pair-entry.ts'
import { RECORD } from './conformance/record/results/public-record.ts'
import { FLAGS as RESULTS } from './conformance/record/results/results-flags.ts'
import { renderChecks } from './conformance/subjects/render-checks.ts'
import { withBoundsTable } from './harness/bounds/bounds.ts'
import { type Flags, withFlagTable } from './harness/cli/flags.ts'
import { FLAGS as LOADTEST } from './loadtest/run/loadtest-flags.ts'
import { withSettingsTable } from './server/config/settings-table.ts'
import { CATALOGUE_VERSION } from './spec/catalogue/requirements.ts'

const flags = (table: Flags) => (page: string) => withFlagTable(page, table)

const checks = await renderChecks()

/** Each document with a generated part, and its text as it must be, from its text now. */
const DOCUMENTS: Readonly<Record<string, (page: string) => string>> = {
  'conformance/subjects/checks.json': () => checks,
  'docs/bundle.schema.json': renderBundleSchema,
  'docs/clients.md': (page) =>
    withMatrix(withVariableTable(page), readPairs(RECORD, CATALOGUE_VERSION), 'touchstone'),
  'docs/judge.md': flags(JUDGE),
  'docs/loadtest.md': flags(LOADTEST),
  'docs/operations.md': flags(FUZZER),
  'docs/pairs.md': flags(PAIRS),
  'docs/recordings.md': withCredentialTable,
  'docs/results.md': flags(RESULTS),
  'docs/results.schema.json': renderResultsSchema,
  'docs/settings.md': (page) => withBoundsTable(withSettingsTable(page)),
  'docs/traceability.md': () => renderTraceability([...CHECKS.values()], heldByTests()),
}

for (const [name, render] of Object.entries(DOCUMENTS)) {
  const file = new URL(name, import.meta.url)
  const text = readFileSync(file, 'utf8')
  const current = render(text)
  if (text === current) continue
  if (!process.argv.includes('--check')) writeFileSync(file, current)
  else fail(`${name} is out of date; run \`npm run docs\``)
}

function fail(line: string): void {
  process.stderr.write(`${line}\n`)
  process.exitCode = 1
}
