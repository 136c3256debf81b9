// `npm run site:examples` writes the examples of servers: an exchange of a check of each requirement of servers, recorded
// with the reference server.
import { writeFileSync } from 'node:fs'
import { createPen } from '../../../harness/cli/pen.ts'
import { requirements } from '../../../spec/catalogue/requirements.ts'
import { exchangeOf, serverExample } from '../../report/example.ts'
import { runConformance } from '../../run-conformance.ts'
import type { ReportCheck } from '../../contract/report.ts'
import { checksOfRow } from '../results/check-index.ts'

const FILE = new URL('../../subjects/server/examples.json', import.meta.url)
const SEED = 1
/** The address in the examples; the one of the run differs each time. */
const BASE_URL = 'http://127.0.0.1:8080'

/** A line that differs with each run. */
const DURATION = /^< \([\d.]+ ms/

/** The first check of a requirement may send nothing, or need a capability that the server does not offer. */
const TRIED_CHECKS = 4

const passesFirst = (one: ReportCheck, other: ReportCheck): number =>
  Number(other.outcome === 'pass') - Number(one.outcome === 'pass')

const pen = createPen({ color: false, columns: 110 })
const rows = requirements.filter(({ subject }) => subject === 'server').map(({ id }) => id)
const tried = rows.flatMap((row) => checksOfRow(row).slice(0, TRIED_CHECKS))
const report = await runConformance({ only: tried.map(({ id }) => id).join(','), seed: SEED, runs: 1 })
const examples = rows.flatMap((row) => {
  const own = tried.filter((check) => check.requirement === row)
  const results = own.flatMap(({ id }) => report.checks.filter((check) => check.id === id))
  const check = results.toSorted(passesFirst).find((one) => exchangeOf(one) !== undefined)
  const exchange = check && exchangeOf(check)
  if (check === undefined || exchange === undefined) return []
  const { title, lines } = serverExample(check, exchange, report, pen)
  const shown = lines.map((line) => line.trim()).filter((line) => !DURATION.test(line))
  return [[check.id, { title, lines: shown }] as const]
})
const text = JSON.stringify(Object.fromEntries(examples), undefined, 2)
writeFileSync(FILE, `${text.replaceAll(report.target.baseUrl, BASE_URL)}\n`)
