// Writes docs/verdicts.md (`npm run verdicts`). With `NAME REPORT` it first brings fixtures/verdicts/NAME.json up to
// that JSON report: new failures then stand there without a cause, for somebody to find it.
import { readFileSync, writeFileSync } from 'node:fs'
import { fullCatalogue } from '../catalogue/full-catalogue.ts'
import { reportSchema } from '../report/schema.ts'
import { readVerdict, readVerdicts, updated, verdictFile } from './recorded-verdict.ts'
import { renderVerdicts } from './render.ts'

const [name, report] = process.argv.slice(2)
if (name !== undefined && report !== undefined) {
  const verdict = updated(readVerdict(name), reportSchema.parse(JSON.parse(readFileSync(report, 'utf8'))))
  writeFileSync(verdictFile(name), `${JSON.stringify(verdict, null, 2)}\n`)
}
writeFileSync(
  new URL('../../docs/verdicts.md', import.meta.url),
  renderVerdicts(readVerdicts(), fullCatalogue()),
)
