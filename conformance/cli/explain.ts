// `explain ID`: prints a requirement, its source, the accepted answers and an example of its checks.
import { type Pen, consoleOptions, createPen } from '../../harness/cli/pen.ts'
import { printable, wrap } from '../../harness/cli/text.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import {
  type RequirementId,
  type Subject as Judged,
  isRequirementId,
  requirement,
  tierOf,
} from '../../spec/catalogue/requirements.ts'
import type { Bundle } from '../bundle/bundle-file.ts'
import type { Check } from '../contract/check.ts'
import type { RunEvents } from '../contract/run-events.ts'
import { type Example, firstExample } from '../contract/subject.ts'
import { exchangeOf, serverExample, splitText } from '../report/example.ts'
import { renderExchange } from '../report/failure.ts'
import type { Redactor } from '../../harness/secrets/redact.ts'
import { loadClient } from '../subjects/index.ts'
import { listedCases, listedSubjects } from '../subjects/listed.ts'
import type { Options } from './judge-options.ts'

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
  if (options.bundle !== undefined) {
    process.stdout.write(await renderRecorded(options.bundle, shown, pen))
    return 0
  }
  const recorded = subjects.find(({ name, checks: own }) => name === 'recording' && own.some(isNamed))
  const judging =
    recorded ?? (subject === 'client' ? await loadClient() : subjects.find(({ name }) => name === subject))
  const isReached = subject === 'server' && options.baseUrl !== undefined
  const known = judging && !isReached ? firstExample(judging, shown) : undefined
  if (known !== undefined)
    process.stdout.write(renderExample({ ...known, lines: known.lines.map((line) => `  ${line}`) }, pen))

  // A row without a recorded exchange has no check that sends one to the reference server.
  if (!isReached && (known !== undefined || named === undefined)) return 0
  const first = listedCases.find((check) => shown.includes(check))
  if (first === undefined) return 0
  const { runConformance } = await import('../run-conformance.ts')
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

/** The outcomes of these checks in a bundle, and the exchanges that each of them sent. */
async function renderRecorded(
  file: string,
  checks: readonly { readonly id: string }[],
  pen: Pen,
): Promise<string> {
  const [{ BundleError, readBundleFile }, { exchangesOf }] = await Promise.all([
    import('../bundle/bundle-file.ts'),
    import('../bundle/exchanges-of.ts'),
  ])
  let bundle: Bundle
  try {
    bundle = readBundleFile(file)
  } catch (error) {
    const why = error instanceof BundleError ? error.message : 'it cannot be read'
    throw new UsageError(`--bundle ${file}: ${why}`)
  }
  const recorded = checks.flatMap(({ id }) => bundle.report.checks.filter((check) => check.id === id))
  if (recorded.length === 0) return `\nThe bundle ${file} has none of these checks\n`
  const lines: string[] = []
  for (const { id, outcome, reason, exchanges } of recorded) {
    const why = reason === undefined ? '' : `, ${printable(reason)}`
    lines.push('', `${pen.paint('bold', 'Recorded')}  ${id}: ${outcome}${why}`)
    const sent = exchangesOf(bundle, id)
    // A check of evidence sends nothing: the report has what it looked at.
    if (sent.length === 0)
      for (const exchange of exchanges)
        lines.push(
          '',
          ...(exchange.hop === undefined ? [] : [`  ${exchange.hop}`]),
          ...renderExchange(exchange, pen),
        )
    for (const { ordinal, atMs, exchange, note } of sent) {
      const problem = note === undefined ? '' : `: ${printable(note)}`
      lines.push('', `  request ${ordinal + 1}, ${(atMs / 1000).toFixed(3)} s after the start${problem}`)
      lines.push(...renderExchange(exchange, pen))
    }
  }
  return `${lines.join('\n')}\n`
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
