// Findings as texts for the maintainers of a service: what they need to repeat one, in their words, and a single line about the judge.
import { createPen } from '../../../harness/cli/pen.ts'
import { cut } from '../../../harness/cli/text.ts'
import { packageVersion } from '../../../harness/program.ts'
import type { Report, ReportCheck } from '../../contract/report.ts'
import { renderExchange } from '../failure.ts'
import { type Finding, findingsOf } from '../findings/findings.ts'
import { plural, textOf } from '../labels.ts'
import { renderTimeline } from '../timeline.ts'
import { cell, code, codeBlock, words } from './markdown-text.ts'

export interface Issue {
  /** The name of its file: the same in each run that shows the finding by the same check. */
  readonly file: string
  readonly text: string
}

/** The longest title, and the most further cases that are named. */
const TITLE_CHARS = 120
const NAMED = 8

/** The variable for the key in the command of an issue. */
const KEY = 'API_KEY'

/** An issue for each finding that fails or warns. */
export function issuesOf(report: Report): readonly Issue[] {
  return findingsOf(report)
    .filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')
    .map((finding) => ({
      file: `${finding.requirement.toLowerCase()}-${finding.example.id}.md`,
      text: render(finding, report),
    }))
}

function render({ requirement: id, what, example, checks }: Finding, report: Report): string {
  const others = checks.filter((check) => check !== example).map(({ title }) => title)
  const { expected, actual, reason = '' } = example
  const more = others.length - NAMED
  return [
    `# ${words(cut(titleOf(example, what), TITLE_CHARS))}`,
    '',
    `> ${cell(textOf(id))}`,
    '',
    ...(expected === undefined
      ? [`${words(reason)}.`]
      : [`Expected: ${code(expected)}`, '', `Received: ${code(actual ?? '')}`]),
    '',
    ...repeat(example),
    ...evidence(example),
    ...(others.length === 0
      ? []
      : [
          `The same cause shows in ${plural(others.length, 'other case')}:`,
          '',
          ...others.slice(0, NAMED).map((title) => `- ${words(title)}`),
          ...(more > 0 ? [`- and ${more} more`] : []),
          '',
        ]),
    '## Versions',
    '',
    '- Version: (the version that you run)',
    `- Model: ${code(report.target.model)}`,
    ...serverOf(example).map((name) => `- \`Server\` header: ${code(name)}`),
    `- Date: ${report.startedAt.slice(0, 10)}`,
    '',
    `Found by Touchstone ${packageVersion()}, check ${code(example.id)} of ${id}, seed ${report.seed}.`,
    '',
  ].join('\n')
}

/** The line of several checks describes their cause, or begins with the title of one of them. */
function titleOf({ title, expected, actual }: ReportCheck, what: string): string {
  const isOwn = expected !== undefined && what.startsWith(title)
  return isOwn ? `${title}: expected ${expected}, received ${actual}` : what
}

function repeat({ reproduce }: ReportCheck): readonly string[] {
  if (reproduce === undefined) return []
  const command = reproduce.replaceAll(/\$(?:CONFORMANCE_\w+|KEY)\b/g, `$${KEY}`)
  const key = command === reproduce ? [] : [`export ${KEY}=…`]
  return ['## To repeat it', '', ...codeBlock([...key, command])]
}

/** The bytes of both sides. A gateway and a client have more than one exchange that matters. */
function evidence(check: ReportCheck): readonly string[] {
  const pen = createPen({ color: false, columns: 110 })
  const hops = check.exchanges.filter(({ hop }) => hop !== undefined)
  const shown = hops.length > 0 ? hops.slice(-2) : check.exchanges.slice(-1)
  if (shown.length === 0) return []
  const lines = shown.flatMap((exchange) =>
    (exchange.hop === undefined ? [] : [`${exchange.hop}:`]).concat(
      renderExchange(exchange, pen).map((line) => line.slice(4)),
    ),
  )
  return ['## What was sent and received', '', ...codeBlock([...renderTimeline(check), ...lines])]
}

function serverOf({ exchanges }: ReportCheck): readonly string[] {
  const headers = exchanges.at(-1)?.response?.headers ?? []
  return headers.flatMap(([name, value]) => (name.toLowerCase() === 'server' ? [value] : []))
}
