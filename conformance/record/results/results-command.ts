// `npm run results`: adds to the public record and checks it. Only this file writes to the terminal.
import { existsSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { printable } from '../../../harness/cli/text.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { runProgram } from '../../../harness/cli/run-program.ts'
import { plural } from '../../report/labels.ts'
import { bounds } from '../../../harness/bounds/bounds.ts'
import { readGiven } from '../../../harness/bounds/read-file.ts'
import type { ReportCheck } from '../../contract/report.ts'
import { type Addition, addEntry, thisPlatform } from './add-entry.ts'
import { BundleError } from '../../bundle/bundle-file.ts'
import { verifyRun } from '../../run-conformance.ts'
import { MOST_BUNDLE_BYTES, checkBundles } from './check-bundles.ts'
import { type FileProblem, inFile } from './check/check-entry.ts'
import { checkPublicRecord } from './check/check-public-record.ts'
import { judgeFlags, readCommands } from './repeat-commands.ts'
import { type ResultsOptions, readOptions } from './results-flags.ts'
import { type ReadReport, checkReport, readReport } from './make-entry.ts'
import { readRecipe, recipeNames } from './recipes/recipe.ts'
import { judgePuppets } from './recipes/judge-puppets.ts'
import { reproduce } from './recipes/reproduce.ts'

async function add(options: ResultsOptions): Promise<number> {
  const [file] = options.operands
  const { name, version, commandsFile, record, provenance, model, replace } = options
  if (file === undefined)
    throw new UsageError('add: expected a bundle, or a report that the judge wrote with --json')
  const isBundle = file.endsWith('.zip')
  if (name === undefined || version === undefined || (commandsFile === undefined && !isBundle))
    throw new UsageError(`add: expected --name, --version${isBundle ? '' : ' and --reproduce'}`)
  const bundle = isBundle ? await readConfirmed(file) : undefined
  const report = bundle === undefined ? readReportFile(file) : readReport(bundle.report, file)
  const reproduce = commandsFile === undefined ? [VERIFIES] : [...readCommands(commandsFile)]
  const { target, checks } = report.report
  const flags = [...(judgeFlags(reproduce) ?? ['--profile', target.profile, '--model', target.model])]
  const { title, home, description } = options
  const texts = Object.entries({ title, home, description }).filter(([, text]) => text !== undefined)
  const added = { name, version, flags, platform: thisPlatform(), model, provenance, reproduce }
  const about = Object.fromEntries(texts)
  const kept = { record, about, replace, now: new Date(), bundle: bundle?.bytes }
  return sayAdded(addEntry(report, added, kept), checks)
}

/** The command that repeats an entry of which only its bundle is known. */
const VERIFIES = 'npx touchstone verify results/'

/** Reads a bundle. Throws `UsageError` if it is damaged, too large, or its verdict is not confirmed. */
async function readConfirmed(file: string) {
  const bytes = readGiven(file, file, MOST_BUNDLE_BYTES)
  try {
    const { bundle, isConfirmed, differences, notReplayable } = await verifyRun(file)
    if (isConfirmed) return { bytes, report: bundle.reportBytes }
    const [first] = [...differences, ...notReplayable]
    throw new UsageError(`${file}: the verdict is not confirmed: ${first?.check}: ${first?.why}`)
  } catch (error) {
    if (error instanceof BundleError) throw new UsageError(`${file}: damaged: ${error.message}`)
    throw error
  }
}

/** Prints what was written, and the failed checks that have no cause yet. */
function sayAdded(added: Addition, checks: readonly ReportCheck[]): number {
  if ('problems' in added) return complain(added.problems)
  const kept = added.kept.length === 0 ? '' : `, ${added.kept.length} of them with the cause that they had`
  say(
    `${shownPath(added.file)}: ${plural(checks.length, 'check')}, ${added.kept.length + added.open.length} failed or warned${kept}`,
  )
  if (added.open.length > 0)
    say(`Write the name of a cause for each of these into ${shownPath(added.causesFile)}:`)
  for (const { id, requirement, expected, actual } of checks)
    if (added.open.includes(id)) say(`  ${id} (${requirement}): expected ${expected}; received ${actual}`)
  return 0
}

async function repeat(options: ResultsOptions, signal: AbortSignal): Promise<number> {
  const { operands, list, recipes, record, addsEntry } = options
  if (list) {
    for (const name of recipeNames(recipes)) {
      const { kind, versions } = readRecipe(name, recipes)
      say(`${name.padEnd(34)} ${kind.padEnd(8)} ${versions.join(', ')}`)
    }
    return 0
  }
  const [target] = operands
  if (target === undefined) throw new UsageError('reproduce: expected NAME or NAME@VERSION, or --list')
  const recipe = readRecipe(target, recipes)
  const folder = join(record, '.installed', `${recipe.name}-${recipe.version}`)
  const run = { record, addsEntry, folder, now: new Date(), signal, say }
  const { entry, report, differences, addition } = await reproduce(recipe, run)
  for (const { check: id, published, now } of differences ?? [])
    say(`  ${id.padEnd(50)} recorded ${published.padEnd(14)} now ${now}`)
  const count = Object.keys(entry.checks).length
  say(
    differences === undefined
      ? `${plural(count, 'check')}; there is no entry of ${recipe.name} ${recipe.version} by profile ${recipe.profile}`
      : `${plural(count, 'check')}, ${differences.length} with another outcome than the entry`,
  )
  if (addition !== undefined) return sayAdded(addition, report.checks)
  return differences?.length === 0 ? 0 : 1
}

async function puppets(options: ResultsOptions, signal: AbortSignal): Promise<number> {
  const [target] = options.operands
  if (target === undefined) throw new UsageError('puppets: expected NAME or NAME@VERSION')
  const recipe = readRecipe(target, options.recipes)
  const folder = join(options.record, '.installed', `${recipe.name}-${recipe.version}`)
  const families = options.families?.split(',') ?? []
  const { families: judged } = await judgePuppets(recipe, {
    record: options.record,
    folder,
    families,
    now: new Date(),
    signal,
    say,
  })
  for (const [family, { seconds, checks }] of Object.entries(judged)) {
    const counts = Object.entries(Object.groupBy(Object.values(checks), ({ outcome }) => outcome))
    say(
      `  ${family.padEnd(20)} ${String(seconds).padStart(4)} s  ${counts.map(([outcome, all]) => `${all?.length} ${outcome}`).join(', ')}`,
    )
  }
  return 0
}

async function check({ operands, record, report }: ResultsOptions): Promise<number> {
  if (report !== undefined && operands.length !== 1)
    throw new UsageError('--report: expected one entry to compare')
  if (!existsSync(record)) throw new UsageError(`check: the folder ${record} does not exist`)
  const asked = operands.map((file) => relative(record, resolve(file)).replaceAll(sep, '/'))
  const outside = operands.find((_, at) => asked[at]?.startsWith('..'))
  if (outside !== undefined) throw new UsageError(`${outside}: expected a file of ${shownPath(record)}`)
  // The causes of an entry are in the file beside it.
  const folders = asked.map((file) => file.slice(0, file.lastIndexOf('/') + 1))
  const isAsked = (file: string): boolean =>
    operands.length === 0 || asked.includes(file) || folders.some((folder) => file === `${folder}causes.json`)
  const full = report === undefined ? undefined : readReportFile(report)
  const { problems, entries } = checkPublicRecord(record, new Date())
  const [file = ''] = asked
  const entry = entries.get(file)
  const compared = full === undefined || entry === undefined ? [] : checkReport(entry, full)
  const found = [...problems.filter((each) => isAsked(each.file)), ...inFile(file, compared)]
  const own = new Map([...entries].filter(([each]) => operands.length === 0 || asked.includes(each)))
  // A bundle that is not there was reported.
  return complain(found.length > 0 ? found : await checkBundles(record, own), record)
}

function readReportFile(file: string): ReadReport {
  return readReport(readGiven(file, file, bounds().reportBytes), file)
}

/** Prints a line for each problem; 1 if there is one. */
function complain(problems: readonly FileProblem[], record = ''): number {
  for (const { file, place, received, expected } of problems)
    say(`${shownPath(resolve(record, file))}: ${place}: received ${received}; expected ${expected}`)
  return problems.length === 0 ? 0 : 1
}

const shownPath = (file: string): string => {
  const path = relative(process.cwd(), file)
  return path.startsWith('..') ? file : path || '.'
}

/** A report may hold anything: nothing of it reaches the terminal as a control character. */
const say = (line: string): void => void process.stdout.write(`${printable(line)}\n`)

await runProgram({
  name: 'results',
  read: readOptions,
  safe: printable,
  run(options, signal) {
    if (options.command === 'add') return add(options)
    if (options.command === 'puppets') return puppets(options, signal)
    return options.command === 'reproduce' ? repeat(options, signal) : check(options)
  },
})
