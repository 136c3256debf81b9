// Writes docs/verdicts.md (`npm run verdicts`). With `NAME REPORT` it first updates fixtures/results/NAME.json from that
// JSON report: a new failure then has no cause, until it is found and written there.
import { readFileSync, writeFileSync } from 'node:fs'
import { fullCatalogue } from '../catalogue/full-catalogue.ts'
import { reportSchema } from '../report/schema.ts'
import { readResult, readResults, updated, resultFile } from './recorded-result.ts'
import { renderResults } from './render.ts'

const [name, report] = process.argv.slice(2)
if (name !== undefined && report !== undefined) {
  const result = updated(readResult(name), reportSchema.parse(JSON.parse(readFileSync(report, 'utf8'))))
  writeFileSync(resultFile(name), `${JSON.stringify(result, null, 2)}\n`)
}
writeFileSync(
  new URL('../../docs/verdicts.md', import.meta.url),
  renderResults({ servers: readResults('servers'), gateways: readResults('gateways') }, fullCatalogue()),
)
