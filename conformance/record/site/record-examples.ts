// Records the examples of servers: an exchange of a check of each row of servers, with the reference server. The text of
// examples.json, a line for each check.
import { createPen } from '../../../harness/cli/pen.ts'
import { requirements } from '../../../spec/catalogue/requirements.ts'
import type { Example } from '../../contract/subject.ts'
import { exchangeOf, serverExample } from '../../report/example.ts'
import { runConformance } from '../../run-conformance.ts'
import type { ReportCheck } from '../../contract/report.ts'
import { loadServer } from '../../subjects/index.ts'
import { checksOfRow } from '../results/check-index.ts'

const SEED = 1
/** The address in the examples; the one of the run differs each time. */
const BASE_URL = 'http://127.0.0.1:8080'

/** A line that differs with each run. */
const DURATION = /^< \([\d.]+ ms/

/** The first check of a requirement may send nothing, or need a capability that the server does not offer. */
const TRIED_CHECKS = 4

const passesFirst = (one: ReportCheck, other: ReportCheck): number =>
  Number(other.outcome === 'pass') - Number(one.outcome === 'pass')

const { exampleOf, withoutExample } = await loadServer()
const rows = requirements.filter(({ subject }) => subject === 'server').map(({ id }) => id)

const knownOf = (row: (typeof rows)[number]) =>
  checksOfRow(row).flatMap((check) => {
    const example = exampleOf(check)
    return example === undefined ? [] : [[check.id, example] as const]
  })

/** The rows that no example stands for, unless their checks send nothing. */
export function rowsWithoutExample(): typeof rows {
  return rows.filter((row) => knownOf(row).length === 0 && !withoutExample.includes(row))
}

/** Records an example of all rows, or of those without one; the others keep theirs. */
export async function recordExamples(areAllNew: boolean): Promise<string> {
  const pen = createPen({ color: false, columns: 110 })
  const wanted = areAllNew ? rows : rowsWithoutExample()
  const tried = wanted.flatMap((row) => checksOfRow(row).slice(0, TRIED_CHECKS))
  const report = await runConformance({ only: tried.map(({ id }) => id).join(','), seed: SEED, runs: 1 })
  const recorded = (row: (typeof rows)[number]): readonly (readonly [string, Example])[] => {
    const results = tried.flatMap((check) =>
      check.requirement === row ? report.checks.filter(({ id }) => id === check.id) : [],
    )
    const check = results.toSorted(passesFirst).find((one) => exchangeOf(one) !== undefined)
    const exchange = check && exchangeOf(check)
    if (check === undefined || exchange === undefined) return []
    const { title, lines } = serverExample(check, exchange, report, pen)
    const shown = lines.map((line) => line.trim()).filter((line) => !DURATION.test(line))
    return [[check.id, { title, lines: shown }]]
  }
  const examples = rows.map((row) => ({ row, own: wanted.includes(row) ? recorded(row) : knownOf(row) }))
  const lines = examples.flatMap(({ own }) =>
    own.map(([id, example]) =>
      `"${id}": ${JSON.stringify(example)}`.replaceAll(report.target.baseUrl, BASE_URL),
    ),
  )
  const without = examples.filter(({ own }) => own.length === 0).map(({ row }) => row)
  return `{\n"without": ${JSON.stringify(without)},\n"of": {\n${lines.join(',\n')}\n}\n}\n`
}
