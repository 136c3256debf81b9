// `explain ID`: prints a requirement, its source, the accepted answers and an example of its checks.
import { type Pen, consoleOptions, createPen } from '../../../harness/cli/pen.ts'
import { wrap } from '../../../harness/cli/text.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import {
  type RequirementId,
  isRequirementId,
  requirement,
  tierOf,
} from '../../../spec/catalogue/requirements.ts'
import type { Subject as Judged } from '../../../spec/catalogue/section.ts'
import type { Check } from '../../contract/check.ts'
import type { RunEvents } from '../../contract/run-events.ts'
import { type Example, firstExample } from '../../contract/subject.ts'
import { exchangeOf, serverExample, splitText } from '../../report/example.ts'
import type { Redactor } from '../../../harness/secrets/redact.ts'
import { loadClient } from '../../subjects/index.ts'
import { listedCases, listedSubjects } from '../../subjects/listed.ts'
import type { Options } from '../judge-options.ts'

/**
 * Prints the explanation, then an example: an exchange of a check with the target that the options name. Without a target it
 * is the recorded one; a check that has none is run against the reference server. Returns the exit code. Throws
 * `UsageError` for an id that stands for nothing.
 */
export async function explain(
  options: Options,
  signal: AbortSignal,
  redactor: Redactor,
  onFault: RunEvents['onFault'],
): Promise<number> {
  const [id = ''] = options.operands
  const subjects = listedSubjects
  const checks = subjects.flatMap((subject) => subject.checks)
  const isNamed = (check: Pick<Check, 'id'>): boolean => check.id === id
  const named = checks.find(isNamed)
  const row = named?.requirement ?? rowOf(id)
  if (row === undefined) {
    const problem =
      id === ''
        ? 'the id of a requirement or a check is missing'
        : `no requirement or check has the id '${id}'`
    throw new UsageError(`explain: ${problem}, expected for example AUTH-3; \`list\` prints every id`)
  }

  const pen = createPen(consoleOptions(process.stdout, process.env))
  const { level, subject, source, text } = requirement(row)
  const tier = tierOf(row)
  const [rule, accepted] = splitText(text)
  const own = checks.filter((check) => check.requirement === row)
  const shown = named === undefined ? own : [named]
  const lines = [
    `${pen.paint('bold', row)}  ${level}, judges the ${subject}, from ${SOURCES[source] ?? source}${tier === undefined ? '' : `, tier ${tier}`}`,
    ...wrap(rule, 100).map((line) => `  ${line}`),
    ...(accepted === undefined ? [] : ['', pen.paint('bold', 'Accepted, or not judged')]),
    ...(accepted === undefined ? [] : wrap(accepted, 100).map((line) => `  ${line}`)),
    '',
    pen.paint('bold', shown.length === 0 ? whoJudges(subject) : 'Checks'),
    ...shown.map((check) => `  ${check.id}: ${check.title}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  const recording = options.recording ?? options.bundle
  if (recording !== undefined) {
    const { renderRecorded } = await import('./explain-recorded.ts')
    process.stdout.write(await renderRecorded(recording, { ...options, signal, onFault }, shown, pen))
    return 0
  }
  const isOfOthers = (name: string): boolean => name === 'recording' || name === 'pair'
  const other = subjects.find(({ name, checks: own }) => isOfOthers(name) && own.some(isNamed))
  const judging =
    other ?? (subject === 'client' ? await loadClient() : subjects.find(({ name }) => name === subject))
  const isReached = subject === 'server' && options.baseUrl !== undefined
  const known = judging && !isReached ? firstExample(judging, shown) : undefined
  if (known !== undefined)
    process.stdout.write(renderExample({ ...known, lines: known.lines.map((line) => `  ${line}`) }, pen))

  // A row without a recorded exchange has no check that sends one to the reference server.
  if (!isReached && (known !== undefined || named === undefined)) return 0
  const first = listedCases.find((check) => shown.includes(check))
  if (first === undefined) return 0
  const { runConformance } = await import('../../run-conformance.ts')
  const run = { ...options, model: options.models[0], only: first.id, signal, onFault }
  const report = await runConformance(run, redactor)
  const [check] = report.checks
  const exchange = check && exchangeOf(check)
  if (check === undefined || exchange === undefined) return 0
  process.stdout.write(renderExample(serverExample(check, exchange, report, pen), pen))
  return 0
}

/** The sources of rows beside the sections of the specification. */
const SOURCES: Readonly<Record<string, string>> = {
  wire: 'the wire format',
  gateways: 'the rules for gateways',
}

function renderExample({ title, lines }: Example, pen: Pen): string {
  return `${['', `${pen.paint('bold', 'Example')}  ${title}`.trimEnd(), ...lines].join('\n')}\n`
}

/** The heading for a row without a check. */
function whoJudges(subject: Judged): string {
  if (subject !== 'suite' && subject !== 'dashboard') return 'No case stands for it yet'
  return "Held by this project's own tests: docs/traceability.md names them"
}

function rowOf(id: string): RequirementId | undefined {
  const upper = id.toUpperCase()
  return isRequirementId(upper) ? upper : undefined
}
