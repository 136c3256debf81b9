// `npm run results`: adds to the public record and checks it. Only this file writes to the terminal.
import { readFileSync, statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { printable } from '../../harness/cli/text.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { plural } from '../report/labels.ts'
import { addEntry, thisPlatform } from './add.ts'
import { type FileProblem, type Problem, checkReport, inFile } from './check/check-entry.ts'
import { checkRecord } from './check/check-record.ts'
import { judgeFlags, readCommands } from './commands.ts'
import { entrySchema } from './entry.ts'
import { type ResultsOptions, readOptions } from './flags.ts'
import { type ReadReport, readReport } from './make-entry.ts'
import { MAX_ENTRY_BYTES, readRecordFile } from './check/read-file.ts'

/** The largest report that is read, in bytes. */
const MAX_REPORT_BYTES = 256_000_000

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (options.help !== undefined) {
    process.stdout.write(options.help)
    return 0
  }
  switch (options.command) {
    case 'add':
      return add(options)
    case 'check':
      return check(options)
  }
}

function add({
  operands: [file],
  record,
  name,
  version,
  reproduce,
  provenance,
  model,
  replace,
  ...options
}: ResultsOptions): number {
  if (file === undefined) throw new UsageError('add: expected a report that the judge wrote with --json')
  if (name === undefined || version === undefined || reproduce === undefined)
    throw new UsageError('add: expected --name, --version and --reproduce')
  const report = readReportFile(file)
  const commands = readCommands(reproduce)
  const { target } = report.report
  const flags = judgeFlags(commands) ?? ['--profile', target.profile, '--model', target.model]
  const { title, home, description } = options
  const about = Object.fromEntries(
    Object.entries({ title, home, description }).filter(([, text]) => text !== undefined),
  )
  const added = addEntry(
    report,
    {
      name,
      version,
      flags: [...flags],
      platform: thisPlatform(),
      model,
      provenance,
      reproduce: [...commands],
    },
    { record, about, replace, now: new Date() },
  )
  if ('problems' in added) return complain(added.problems)
  const checks = report.report.checks
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

function check({ operands, record, report }: ResultsOptions): number {
  if (report !== undefined && operands.length !== 1)
    throw new UsageError('--report: expected one entry to compare')
  const asked = operands.map((file) => relative(record, resolve(file)).replaceAll(sep, '/'))
  const outside = operands.find((_, at) => asked[at]?.startsWith('..'))
  if (outside !== undefined) throw new UsageError(`${outside}: expected a file of ${shownPath(record)}`)
  // The causes of an entry are in the file beside it.
  const folders = asked.map((file) => file.slice(0, file.lastIndexOf('/') + 1))
  const isAsked = (file: string): boolean =>
    operands.length === 0 || asked.includes(file) || folders.some((folder) => file === `${folder}causes.json`)
  const problems = checkRecord(record, new Date()).filter(({ file }) => isAsked(file))
  const [entry = ''] = operands
  const compared = report === undefined ? [] : compare(entry, readReportFile(report))
  return complain([...problems, ...inFile(asked[0] ?? '', compared)], record)
}

function compare(file: string, report: ReadReport): readonly Problem[] {
  const read = readRecordFile(file, entrySchema, MAX_ENTRY_BYTES)
  return 'problems' in read ? [] : checkReport(read.value, report)
}

function readReportFile(file: string): ReadReport {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) throw new UsageError(`${file}: there is no such file`)
  if (size > MAX_REPORT_BYTES)
    throw new UsageError(`${file}: ${size} bytes; expected at most ${MAX_REPORT_BYTES}`)
  return readReport(readFileSync(file), file)
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

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const text = error instanceof UsageError ? error.message : String(Object(error).stack ?? error)
  process.stderr.write(`results: ${printable(text)}\n`)
  process.exitCode = 2
}
