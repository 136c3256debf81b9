// `npm run docs` writes every generated file: those that follow from the code, and the missing parts of those that need a
// run of the judge. With `--check` it reports what is out of date instead, and exits with 1.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SET_DATES } from './conformance/contract/check-sets.ts'
import { withVariableTable } from './conformance/contract/environment/program-environment.ts'
import { heldByTests } from './conformance/record/traceability/held-by-tests.ts'
import { renderTraceability } from './conformance/record/traceability/traceability.ts'
import { withCredentialTable } from './conformance/exchanges/credential-table.ts'
import {
  renderBundleSchema,
  renderRecordingSchema,
  renderReportSchema,
} from './conformance/bundle/bundle-schema.ts'
import { FLAGS as JUDGE } from './conformance/cli/judge-flags.ts'
import { FLAGS as FUZZER } from './conformance/lab/fuzz/fuzz-flags.ts'
import { killTable } from './conformance/lab/mutants/kill-table.ts'
import { listAllMutants } from './conformance/lab/mutants/mutant.ts'
import { renderPage } from './conformance/lab/mutants/mutants-page.ts'
import { withContextTables } from './conformance/facts/context-facts.ts'
import { CHECKS, SUBJECTS } from './conformance/record/results/check-index.ts'
import { measureCosts, rowsWithoutCost } from './conformance/record/results/measure-costs.ts'
import { renderResultsSchema } from './conformance/record/results/results-schema.ts'
import { FLAGS as PAIRS } from './conformance/record/pairs/pairs-flags.ts'
import { withMatrix } from './conformance/record/pairs/pairs-matrix.ts'
import { readPairs } from './conformance/record/results/pair-entry.ts'
import { RECORD } from './conformance/record/results/public-record.ts'
import { FLAGS as RESULTS } from './conformance/record/results/results-flags.ts'
import { recordExamples, rowsWithoutExample } from './conformance/record/site/record-examples.ts'
import { renderChecks } from './conformance/subjects/render-checks.ts'
import { withBoundsTable } from './harness/bounds/bounds.ts'
import { readCommandLine } from './harness/cli/command-line.ts'
import { notEmpty } from './harness/cli/flag-values.ts'
import { type Flags, HELP_FLAG, flag, readFlags, withFlagTable } from './harness/cli/flags.ts'
import { runProgram } from './harness/cli/run-program.ts'
import { UsageError } from './harness/cli/usage-error.ts'
import { readGenerators, withGenerators } from './loadtest/report/generator-table.ts'
import { FLAGS as LOADTEST } from './loadtest/run/loadtest-flags.ts'
import { FLAGS as PUPPETS } from './puppets/puppets-flags.ts'
import { renderPuppetSchema } from './puppets/puppet-schema.ts'
import { withSettingsTable } from './server/config/settings-table.ts'
import { CATALOGUE_VERSION } from './spec/catalogue/requirements.ts'
import { createOpenApiDocument } from './spec/openapi/openapi.ts'

const FLAGS = {
  check: flag('--check').means('Report what is out of date, and write nothing'),
  only: flag('--only NAME', notEmpty)
    .with({ fallback: 'all files that are out of date' })
    .means(
      'Part of the name of the only file to write, such as `openapi`; all of `costs`, `examples` or `mutants.json` is measured again',
    ),
  set: flag('--set DATE', notEmpty)
    .with({ fallback: 'no set' })
    .means('Publish a dated set of all checks, for example `2027-06`; it is never written again'),
  help: HELP_FLAG,
} as const satisfies Flags

const PROGRAM = {
  name: 'npm run docs --',
  flags: FLAGS,
  commands: [
    {
      name: 'docs',
      about: 'Writes every generated file.',
      notes: 'Exit codes:\n  0  written, or up to date\n  1  out of date\n  2  wrong usage',
    },
  ],
} as const

const flags = (table: Flags) => (page: string) => withFlagTable(page, table)
const checks = await renderChecks()
const mutants = await listAllMutants()

/** Each file that follows from the code, and its text as it must be, from its text now. */
const DOCUMENTS: Readonly<Record<string, (page: string) => string>> = {
  'conformance/subjects/checks.json': () => checks,
  'docs/bundle.schema.json': renderBundleSchema,
  'docs/clients.md': (page) =>
    withMatrix(withVariableTable(page), readPairs(RECORD, CATALOGUE_VERSION), 'touchstone'),
  'docs/judge.md': (page) => withContextTables(flags(JUDGE)(page)),
  'docs/loadtest.md': (page) =>
    withGenerators(withFlagTable(page, LOADTEST), readGenerators(join(RECORD, 'generators'))),
  'docs/mutants.md': () => renderPage(mutants),
  'docs/operations.md': flags(FUZZER),
  'docs/pairs.md': flags(PAIRS),
  'docs/puppet.schema.json': renderPuppetSchema,
  'docs/puppets.md': flags(PUPPETS),
  'docs/recording.schema.json': renderRecordingSchema,
  'docs/recordings.md': withCredentialTable,
  'docs/report.schema.json': renderReportSchema,
  'docs/results.md': flags(RESULTS),
  'docs/results.schema.json': renderResultsSchema,
  'docs/settings.md': (page) => withBoundsTable(withSettingsTable(page)),
  'docs/traceability.md': () => renderTraceability([...CHECKS.values()], heldByTests()),
  'openapi.json': () => `${JSON.stringify(createOpenApiDocument(), null, 2)}\n`,
}

/** A file that needs a run of the judge: the rows or faults that it lacks, and how it is written. */
interface Measured {
  lacks(): readonly string[]
  write(file: URL, areAllNew: boolean): Promise<void>
}

const written =
  (render: (areAllNew: boolean) => Promise<string>): Measured['write'] =>
  async (file, areAllNew) =>
    writeFileSync(file, await render(areAllNew))

const MEASURED: Readonly<Record<string, Measured>> = {
  'conformance/subjects/server/costs.json': { lacks: rowsWithoutCost, write: written(measureCosts) },
  'conformance/subjects/server/examples.json': { lacks: rowsWithoutExample, write: written(recordExamples) },
  'docs/mutants.json': { lacks: faultsNotJudged, write: judgeFaults },
}

/** The hand-written faulty servers of which the kill table has no check. */
function faultsNotJudged(): readonly string[] {
  const faults = mutants.servers.filter(({ kind }) => kind === 'fault').map(({ id }) => id)
  return faults.filter((id) => !(id in killTable.servers))
}

async function judgeFaults(_: URL, areAllNew: boolean): Promise<void> {
  const command = ['conformance/cli.js', 'mutants', '--markdown', 'docs/mutants.md']
  const only = areAllNew ? [] : ['--only', faultsNotJudged().join(',')]
  const { status } = spawnSync(process.execPath, [...command, ...only], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = 1
}

/** Writes the set of this date: every check of each subject. */
function publishSet(date: string): void {
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(date))
    throw new UsageError(`--set: expected a month, for example 2027-06; received "${date}"`)
  if (SET_DATES.includes(date)) throw new UsageError(`--set: ${date} is published, and never written again`)
  const set = SUBJECTS.map((subject) => [subject.name, subject.checks.map(({ id }) => id).toSorted()])
  const text = JSON.stringify(Object.fromEntries(set), undefined, 1)
  writeFileSync(new URL(`conformance/contract/sets/${date}.json`, import.meta.url), `${text}\n`)
}

await runProgram({
  name: 'docs',
  safe: (text) => text,
  read(args) {
    const { given, help } = readCommandLine(PROGRAM, args)
    return { ...readFlags(FLAGS, given), help }
  },
  async run({ check, only = '', set }) {
    if (set !== undefined) publishSet(set)
    const isWanted = (name: string): boolean => set === undefined && name.includes(only)
    const stale: string[] = []
    for (const [name, render] of Object.entries(DOCUMENTS).filter(([name]) => isWanted(name))) {
      const file = new URL(name, import.meta.url)
      const text = readFileSync(file, 'utf8')
      const current = render(text)
      if (text === current) continue
      if (check) stale.push(`${name} is out of date`)
      else writeFileSync(file, current)
    }
    for (const [name, { lacks, write }] of Object.entries(MEASURED).filter(([name]) => isWanted(name))) {
      const missing = lacks()
      if (check && missing.length > 0) stale.push(`${name} has no ${missing.join(', ')}`)
      else if (!check && (missing.length > 0 || only !== ''))
        await write(new URL(name, import.meta.url), only !== '')
    }
    for (const line of stale) process.stdout.write(`${line}; run \`npm run docs\`\n`)
    return stale.length > 0 ? 1 : 0
  },
})
