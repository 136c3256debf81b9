// `explain ID`: prints a requirement, its source, the accepted answers and an example of its checks.
import {
  type RequirementId,
  type Subject,
  isRequirementId,
  requirement,
} from '../../spec/catalogue/requirements.ts'
import type { Catalogue } from '../subjects/server/selection.ts'
import type { Options } from './options.ts'
import { renderExchange } from '../report/failure.ts'
import { type Pen, consoleOptions, createPen } from '../../harness/cli/pen.ts'
import type { Report, ReportCheck, ReportExchange } from '../contract/report.ts'
import { wrap } from '../../harness/cli/text.ts'
import { PROGRAM } from '../../harness/program.ts'
import { describeScript } from '../subjects/client/describe.ts'
import { allChecks, scenarios } from '../subjects/client/catalogue.ts'
import { allChecks as gatewayChecks } from '../subjects/gateway/catalogue.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'

/**
 * Prints the explanation, then an example: an exchange of the row's first check against the target that the options
 * name, or the reference server. Returns the exit code. Throws `UsageError` for an id that stands for nothing.
 */
export async function explain(options: Options, all: Catalogue, run: (only: string) => Promise<Report>) {
  const [id = ''] = options.operands
  const checks = [...all.cases, ...all.observers, ...allChecks(), ...gatewayChecks()]
  const named = checks.find((check) => check.id === id)
  const row = named?.requirement ?? rowOf(id)
  if (row === undefined)
    throw new UsageError(`explain: expected the id of a requirement or a check, as AUTH-3, got '${id}'`)

  const pen = createPen(consoleOptions(process.stdout, process.env))
  const { level, subject, source, text } = requirement(row)
  const [rule, accepted] = splitText(text)
  const own = checks.filter((check) => check.requirement === row)
  const shown = named === undefined ? own : [named]
  const lines = [
    `${pen.paint('bold', row)}  ${level}, judges the ${subject}, from ${SOURCES[source] ?? source}`,
    ...wrap(rule, 100).map((line) => `  ${line}`),
    ...(accepted === undefined ? [] : ['', pen.paint('bold', 'Accepted, or not judged')]),
    ...(accepted === undefined ? [] : wrap(accepted, 100).map((line) => `  ${line}`)),
    '',
    pen.paint('bold', shown.length === 0 ? whoJudges(subject) : 'Checks'),
    ...shown.map((check) => `  ${check.id}: ${check.title}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  const [firstShown] = shown
  if (firstShown !== undefined && subject === 'client')
    process.stdout.write(renderExample(clientExample(firstShown), pen))
  if (firstShown !== undefined && subject === 'gateway')
    process.stdout.write(renderExample(gatewayExample(firstShown), pen))

  const first = shown.find((check) => all.cases.some(({ id: caseId }) => caseId === check.id))
  if (first === undefined) return 0
  const report = await run(first.id)
  const [check] = report.checks
  const exchange = check && exampleOf(check)
  if (check === undefined || exchange === undefined) return 0
  const { title, lines: example } = serverExample(check, exchange, report, pen)
  process.stdout.write(`${['', `${pen.paint('bold', 'Example')}  ${title}`, ...example].join('\n')}\n`)
  return 0
}

/** The sources of rows beside the sections of the specification. */
const SOURCES: Readonly<Record<string, string>> = {
  wire: 'the wire format',
  gateways: 'the rules for gateways',
}

/** An example of a requirement: its title, and the exchange or the command. */
export interface Example {
  readonly title: string
  readonly lines: readonly string[]
}

function renderExample({ title, lines }: Example, pen: Pen): string {
  const heading = `${pen.paint('bold', 'Example')}  ${title}`.trimEnd()
  return `${['', heading, ...lines.map((line) => `  ${line}`)].join('\n')}\n`
}

/** The answers of the service in the scenario of a check, and the command that judges a program by it. */
export function clientExample(check: { readonly id: string }): Example {
  const scenario = scenarios.find(({ checks }) => checks.some(({ id }) => id === check.id))
  const answers =
    scenario === undefined
      ? 'checked on every request of every scenario'
      : `the service answers ${describeScript(scenario)}`
  return { title: `${check.id}: ${answers}`, lines: [`${PROGRAM} client --only ${check.id} -- COMMAND`] }
}

export function gatewayExample(check: { readonly id: string }): Example {
  return { title: '', lines: [`${PROGRAM} gateway --base-url http://127.0.0.1:4000 --only ${check.id}`] }
}

/** The exchange that shows a check best: a refusal, or else the last one. Many checks of refusals end with a valid request. */
export function exampleOf({ exchanges }: Pick<ReportCheck, 'exchanges'>): ReportExchange | undefined {
  const isRefusal = ({ response }: ReportExchange): boolean =>
    response !== null && response.status >= 400 && response.status !== 429
  return exchanges.findLast(isRefusal) ?? exchanges.at(-1)
}

export function serverExample(
  { id, outcome }: Pick<ReportCheck, 'id' | 'outcome'>,
  exchange: ReportExchange,
  { target }: Pick<Report, 'target'>,
  pen: Pen,
): Example {
  return { title: `${id} on ${target.baseUrl}: ${outcome}`, lines: renderExchange(exchange, pen) }
}

/** The heading for a row without a check. */
function whoJudges(subject: Subject): string {
  if (subject !== 'suite' && subject !== 'dashboard') return 'No case stands for it yet'
  return "Held by this project's own tests: docs/traceability.md names them"
}

function rowOf(id: string): RequirementId | undefined {
  const upper = id.toUpperCase()
  return isRequirementId(upper) ? upper : undefined
}

/** A row's rule, and the sentences in parentheses behind it: other answers that are accepted, and what is not judged. */
export function splitText(text: string): readonly [rule: string, accepted: string | undefined] {
  const plain = text.replace(/ \(wire\)$/, '')
  const [whole = '', rule, accepted] = /^(.*\.) \(((?:[^()]|\([^()]*\))*)\)$/s.exec(plain) ?? [plain]
  return rule === undefined || accepted === undefined ? [whole, undefined] : [rule, accepted]
}
