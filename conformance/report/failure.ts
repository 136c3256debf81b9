// A check that does not hold, for a person: the requirement in its own words, what was expected and what came, the
// exchange that shows it, and how to see it again.
import { isRequirementId, requirement } from '../../spec/requirements.ts'
import type { Pen } from './pen.ts'
import type { ReportCheck, ReportExchange } from './schema.ts'
import { cut, printable, wrap } from './text.ts'

/** How much of a body is shown, in characters; the JSON report has more of it. */
const SHOWN_BODY_CHARS = 1_200

const TITLES = { error: 'ERROR', fail: 'FAIL', warn: 'WARN' } as const

/** The lines of a check that failed, warned or could not run, an empty one first. */
export function renderCheck(check: ReportCheck, pen: Pen): readonly string[] {
  const outcome = check.outcome === 'fail' || check.outcome === 'warn' ? check.outcome : 'error'
  const color = outcome === 'warn' ? 'yellow' : 'red'
  const head = `${pen.paint([color, 'bold'], TITLES[outcome])} ${pen.paint('bold', check.requirement)} ${check.level}`
  const width = Math.min(pen.columns, 110) - 4
  const row = isRequirementId(check.requirement) ? requirement(check.requirement) : undefined
  const exchange = check.exchanges.at(-1)
  const label = (name: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [`  ${pen.paint('gray', name.padEnd(10))} ${printable(value)}`]
  return [
    '',
    `${head}  ${check.id}: ${printable(check.title)}`,
    ...(row === undefined ? [] : wrap(`“${row.text}”`, width)).map(
      (line) => `  ${pen.paint('italic', line)}`,
    ),
    ...(row === undefined ? [] : label('source', row.source === 'wire' ? 'the wire format' : row.source)),
    ...label('expected', check.expected),
    ...label('actual', check.actual),
    ...(check.expected === undefined
      ? (check.reason ?? '').split('\n').map((line) => `  ${printable(line)}`)
      : []),
    ...label('baseline', check.baseline),
    ...(exchange === undefined ? [] : renderExchange(exchange, pen)),
    ...label('again', check.rerun),
    ...label('or', check.reproduce),
  ]
}

/** An exchange as lines: what was sent behind `>`, what came behind `<`. */
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

/** Headers that every exchange has and that seldom matter. */
const DULL = /^(host|accept|user-agent|content-length|connection|keep-alive|date)$/i

function headerLines(headers: readonly (readonly [string, string])[]): readonly string[] {
  return headers.filter(([name]) => !DULL.test(name)).map(([name, value]) => printable(`${name}: ${value}`))
}

function bodyLines(
  part: ReportExchange['request'] | NonNullable<ReportExchange['response']>,
): readonly string[] {
  const text = part.body ?? (part.bodyBase64 === undefined ? undefined : `base64: ${part.bodyBase64}`)
  if (text === undefined || text === '') return []
  const size = part.bodyCutFromBytes ?? text.length
  const more =
    text.length > SHOWN_BODY_CHARS || part.bodyCutFromBytes !== undefined ? [`(${size} in all)`] : []
  return [...cut(text, SHOWN_BODY_CHARS).split('\n').map(printable), ...more]
}
