// A finding in text: the requirement, expected and actual value, the exchange that proves it, and how to repeat it.
import { isRequirementId, requirement } from '../../spec/catalogue/requirements.ts'
import type { Pen } from '../../harness/cli/pen.ts'
import type { ReportCheck, ReportExchange } from '../contract/report.ts'
import { renderTimeline } from './timeline.ts'
import { cut, printable, wrap } from '../../harness/cli/text.ts'
import type { Finding } from './findings/findings.ts'
import { plural, sourceOf } from './labels.ts'

/** The longest body that is shown, in characters; the JSON report has more. */
const SHOWN_BODY_CHARS = 1_200

/** The part of these that shows the end of the body. */
const SHOWN_END_CHARS = 500

/** The number of rows, and of checks, that a finding names in text; the page and the JSON report name all. */
const NAMED = 8

/** A finding in text: its row, what the service does, and the check that shows it. An empty line comes first. */
export function renderFinding(finding: Finding, pen: Pen, profile?: string): readonly string[] {
  const { requirement: id, requirements, outcome, what, example, checks } = finding
  const color = outcome === 'warn' ? 'yellow' : 'red'
  const row = isRequirementId(id) ? requirement(id) : undefined
  const others = checks.filter((check) => check !== example).map((check) => check.id)
  const open =
    outcome === 'inconclusive' ? 0 : checks.filter((check) => check.outcome === 'inconclusive').length
  const unjudged = open === 0 ? '' : ` (${open} of them could not be judged)`
  const width = Math.min(pen.columns, 110) - 2
  const quoted = row === undefined ? [] : wrap(`“${row.text}” (${sourceOf(id, profile)})`, width)
  const more = [
    printable(what),
    ...(requirements.length === 1 ? [] : [`in ${named(requirements, ' ')}`]),
    `and ${plural(others.length, 'further check')}${unjudged}: ${named(others, ', ')}`,
  ]
  return [
    '',
    `${pen.paint([color, 'bold'], outcome.toUpperCase())} ${pen.paint('bold', id)} ${row?.level ?? ''}`,
    ...quoted.map((line) => `  ${pen.paint('italic', line)}`),
    ...(others.length === 0 ? [] : more.flatMap((line) => wrap(line, width)).map((line) => `  ${line}`)),
    ...renderCheck(example, pen),
  ]
}

/** The first names of a list, and the number of the others. */
export function named(all: readonly string[], separator: string): string {
  const more = all.length - NAMED
  const shown = all.slice(0, NAMED).join(separator)
  return more > 0 ? `${shown} and ${more} more` : shown
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
    ...renderEvidence(check, pen),
    ...label('again', check.rerun),
    ...label('or', check.reproduce),
  ]
}

/** The exchange that shows how a check ended, of a gateway with the name of each side. */
export function renderEvidence(check: ReportCheck, pen: Pen): readonly string[] {
  return evidenceOf(check).flatMap((exchange) => {
    const side = exchange.hop === undefined ? [] : [`  ${pen.paint('gray', exchange.hop)}`]
    return side.concat(renderExchange(exchange, pen))
  })
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

/** A body without its middle if it is long. */
function bothEnds(text: string, end: string | undefined): string {
  if (end === undefined && text.length <= SHOWN_BODY_CHARS) return text
  const head = cut(text, SHOWN_BODY_CHARS - SHOWN_END_CHARS)
    .replace(/(?<=\n).+…$/, '')
    .trimEnd()
  const tail = (end ?? text).slice(-SHOWN_END_CHARS)
  // Both parts have whole lines if the body has lines.
  return `${head}\n…\n${tail.slice(tail.indexOf('\n') + 1).trimStart()}`
}

function bodyLines(part: ReportExchange['request'] | NonNullable<ReportExchange['response']>) {
  const text = part.body ?? (part.bodyBase64 === undefined ? undefined : `base64: ${part.bodyBase64}`)
  if (text === undefined || text === '') return []
  const size = part.bodyCutFromBytes ?? text.length
  const more =
    text.length > SHOWN_BODY_CHARS || part.bodyCutFromBytes !== undefined ? [`(${size} in all)`] : []
  const lines = bothEnds(text.trimEnd(), part.bodyEnd?.trimEnd()).split('\n')
  return [...lines.map(printable), ...more]
}
