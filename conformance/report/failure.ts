// A failed check in text: the requirement, expected and actual value, the exchange that proves it, and how to repeat it.
import { isRequirementId, requirement } from '../../spec/catalogue/requirements.ts'
import { worst } from '../contract/outcome.ts'
import type { Pen } from '../../harness/cli/pen.ts'
import type { ReportCheck, ReportExchange } from '../contract/report.ts'
import { renderTimeline } from './timeline.ts'
import { cut, printable, wrap } from '../../harness/cli/text.ts'
import { plural, sourceOf } from './labels.ts'

/** The longest body that is shown, in characters; the JSON report has more. */
const SHOWN_BODY_CHARS = 1_200

/** The number of checks of one requirement that are shown with their exchange; each further check gets one line. */
const SHOWN_CHECKS = 3

/** The failures of one requirement: its text once, then each check. An empty line comes first. */
export function renderFindings(id: string, checks: readonly ReportCheck[], pen: Pen, profile?: string) {
  const outcome = worst(checks.map((check) => check.outcome))
  const color = outcome === 'warn' ? 'yellow' : 'red'
  const [full, brief] = [checks.slice(0, SHOWN_CHECKS), checks.slice(SHOWN_CHECKS)]
  const row = isRequirementId(id) ? requirement(id) : undefined
  const quoted =
    row === undefined ? [] : wrap(`“${row.text}” (${sourceOf(id, profile)})`, Math.min(pen.columns, 110) - 2)
  return [
    '',
    `${pen.paint([color, 'bold'], outcome.toUpperCase())} ${pen.paint('bold', id)} ${row?.level ?? ''}`,
    ...quoted.map((line) => `  ${pen.paint('italic', line)}`),
    ...full.flatMap((check) => renderCheck(check, pen)),
    ...(brief.length === 0 ? [] : ['', `  and ${plural(brief.length, 'further check')}:`]),
    ...brief.map((check) => `    ${check.id}: ${cut(printable(check.reason ?? ''), pen.columns - 6)}`),
  ]
}

function renderCheck(check: ReportCheck, pen: Pen): readonly string[] {
  const label = (name: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [`  ${pen.paint('gray', name.padEnd(9))} ${printable(value)}`.trimEnd()]
  const reason = check.expected === undefined ? (check.reason ?? '').split('\n') : []
  return [
    '',
    `  ${pen.paint('bold', check.id)}: ${printable(check.title)}`,
    ...label('expected', check.expected),
    ...label('actual', check.actual),
    ...reason.map((line) => `  ${printable(line)}`),
    ...label('at', check.place),
    ...label('at fault', check.attribution),
    ...label('baseline', check.baseline),
    ...renderTimeline(check).map((line) => `    ${pen.paint('gray', line)}`),
    ...evidenceOf(check).flatMap((exchange) =>
      label(exchange.hop ?? '', exchange.hop === undefined ? undefined : '').concat(
        renderExchange(exchange, pen),
      ),
    ),
    ...label('again', check.rerun),
    ...label('or', check.reproduce),
  ]
}

/** The exchange that proves a failure; of a gateway the latest of each side. */
function evidenceOf({ exchanges }: ReportCheck): readonly ReportExchange[] {
  const sides = ['client', 'upstream', undefined] as const
  return sides
    .map((side) => exchanges.findLast(({ hop }) => hop === side))
    .filter((exchange) => exchange !== undefined)
}

/** An exchange as lines: the request after `>`, the response after `<`. */
export function renderExchange(exchange: ReportExchange, pen: Pen): readonly string[] {
  const { request, response, timings } = exchange
  const sent = [`${request.method} ${request.url}`, ...headerLines(request.headers), ...bodyLines(request)]
  const came =
    response === null
      ? ['(no answer)']
      : [`status ${response.status}`, ...headerLines(response.headers), ...bodyLines(response)]
  const ended = response?.ended === undefined ? '' : `, ${response.ended}`
  const took = timings === null ? [] : [`(${timings.totalMs} ms${ended})`]
  return [
    ...sent.map((line) => `    ${pen.paint('cyan', '>')} ${line}`),
    ...[...came, ...took].map((line) => `    ${pen.paint('magenta', '<')} ${line}`),
  ]
}

/** Headers that every exchange has and that seldom matter, and those that describe the `openai` library. */
const DULL =
  /^(host|accept|user-agent|content-length|connection|keep-alive|transfer-encoding|date|x-stainless-.*)$/i

function headerLines(headers: readonly (readonly [string, string])[]): readonly string[] {
  return headers.filter(([name]) => !DULL.test(name)).map(([name, value]) => printable(`${name}: ${value}`))
}

function bodyLines(part: ReportExchange['request'] | NonNullable<ReportExchange['response']>) {
  const text = part.body ?? (part.bodyBase64 === undefined ? undefined : `base64: ${part.bodyBase64}`)
  if (text === undefined || text === '') return []
  const size = part.bodyCutFromBytes ?? text.length
  const more =
    text.length > SHOWN_BODY_CHARS || part.bodyCutFromBytes !== undefined ? [`(${size} in all)`] : []
  const lines = cut(text.replace(/\n+$/, ''), SHOWN_BODY_CHARS).split('\n')
  return [...lines.map(printable), ...more]
}
