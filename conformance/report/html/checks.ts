// Checks on the page: expected and actual value, how to repeat the check, and its exchanges.
import { type Markup, markup, prose } from '../../../harness/html/markup.ts'
import { STYLES, plate } from '../outcome-style.ts'
import { timelineOf } from './timeline.ts'
import type { ReportCheck, ReportExchange } from '../../contract/report.ts'

/** The longest body on the page, in characters; the JSON report has more. */
const SHOWN_BODY_CHARS = 12_000

/** The side at fault, as the page names it. */
const ATTRIBUTIONS = {
  gateway: 'the gateway',
  upstream: 'the upstream',
  both: 'the gateway and the upstream',
  client: 'the client',
  server: 'the server',
} as const

/** A check that failed or has no verdict: all details, with its latest exchange unfolded. */
export function renderFinding(check: ReportCheck): Markup {
  const { outcome, baseline, variable, place, attribution } = check
  return markup`<section class="check ${outcome}" aria-label="${check.id}">
<h3>${plate(outcome)} ${prose(check.title)} ${idOf(check)}</h3>
${verdictOf(check)}
${attribution !== undefined && markup`<p class="small">At fault: <strong>${ATTRIBUTIONS[attribution]}</strong></p>`}
${place !== undefined && markup`<p class="small">Recorded at <code>${place}</code></p>`}
${baseline !== undefined && markup`<p class="small"><strong>Expected by the baseline:</strong> ${baseline}</p>`}
${variable !== undefined && markup`<p class="small">Set <code>${variable}</code> to let it be judged.</p>`}
${timelineOf(check)}
${check.reproduce !== undefined && command('Send the request again', check.reproduce)}
${check.rerun !== undefined && command('Judge this check again', check.rerun)}
${exchangesOf(check, true)}
</section>`
}

/** A check on one line; its exchange is folded. */
export function renderCheck(check: ReportCheck): Markup {
  const reason = check.reason !== undefined && markup`<p class="small quiet">${check.reason}</p>`
  return markup`<section class="check ${check.outcome}" aria-label="${check.id}">
<h3>${sign(check)} ${prose(check.title)} ${idOf(check)}</h3>
${reason}
${exchangesOf(check, false)}
</section>`
}

function sign({ outcome }: ReportCheck): Markup {
  const { sign, label } = STYLES[outcome]
  return markup`<span class="sign ${outcome}" aria-hidden="true">${sign}</span><span class="visually-hidden">${label}:</span>`
}

function idOf({ id }: ReportCheck): Markup {
  return markup`<code class="quiet">${id}</code>`
}

function verdictOf({ expected, actual, reason }: ReportCheck): Markup | undefined {
  if (expected !== undefined)
    return markup`<dl class="verdict"><dt>expected</dt><dd class="expected">${expected}</dd><dt>actual</dt><dd class="actual">${actual}</dd></dl>`
  return reason === undefined ? undefined : markup`<p class="reason">${reason}</p>`
}

function command(label: string, line: string): Markup {
  return markup`<div class="command"><span class="small quiet">${label}</span><button class="button" type="button" data-copy data-scripted hidden aria-label="Copy: ${label}">Copy</button><pre tabindex="0" aria-label="${label}">${line}</pre></div>`
}

/** All exchanges of a check; the last one, or both sides of a gateway, is unfolded if it is the evidence. */
function exchangesOf({ exchanges }: ReportCheck, evidence: boolean): readonly Markup[] {
  if (exchanges.some(({ hop }) => hop !== undefined)) return renderHops(exchanges, evidence)
  return exchanges.map((exchange, at) => renderExchange(exchange, evidence && at === exchanges.length - 1))
}

function renderExchange(exchange: ReportExchange, open: boolean): Markup {
  const { request, response, timings } = exchange
  const took = timings === null ? '' : `${ms(timings.totalMs)}`
  return markup`<details class="exchange"${open && markup` open`}>
<summary><code>${request.method} ${pathOf(request.url)}</code> <span aria-hidden="true">→</span><span class="visually-hidden">was answered</span> <strong>${statusOf(exchange)}</strong> <span class="quiet small">${took}</span></summary>
<div class="sides">
<div><h4>Request</h4>${requestOf(request, 'Request body')}</div>
<div><h4>Response</h4>${responseOf(response, 'Response body')}${timingOf(exchange)}</div>
</div>
</details>`
}

function requestOf(request: ReportExchange['request'], name: string, other?: Body): Markup {
  return markup`<p><code>${request.method} ${request.url}</code></p>${headersOf(request.headers)}${bodyOf(request, name, other)}`
}

function responseOf(response: ReportExchange['response'], name: string, other?: Body): Markup {
  if (response === null) return markup`<p>No answer came.</p>`
  return markup`<p><code>status ${response.status}</code></p>${headersOf(response.headers)}${bodyOf(response, name, other)}`
}

function timingOf({ response, timings }: ReportExchange): Markup | undefined {
  if (timings === null) return undefined
  const ended = response?.ended === undefined ? '' : `, ${response.ended}`
  return markup`<p class="small quiet">First byte after ${ms(timings.firstByteMs)}, last after ${ms(timings.totalMs)}${ended}.</p>`
}

/** The sides of a gateway as columns: the exchange of the client, and beside it each request at the upstream. */
function renderHops(exchanges: readonly ReportExchange[], evidence: boolean): readonly Markup[] {
  const client = exchanges.findLast(({ hop }) => hop === 'client')
  const upstream = exchanges.filter(({ hop }) => hop === 'upstream')
  const rows = upstream.length === 0 ? [undefined] : upstream
  return rows.map((call, index) => {
    const count = rows.length > 1 ? `, request ${index + 1} of ${rows.length}` : ''
    return markup`<details class="exchange"${evidence && index === rows.length - 1 && markup` open`}>
<summary>Both sides of the gateway${count} <strong>${statusOf(client)}</strong> <span class="quiet small">at the client,</span> <strong>${statusOf(call)}</strong> <span class="quiet small">from the upstream</span></summary>
<div class="sides hops">${renderHop('Client', client, call)}${renderHop('Upstream', call, client)}</div>
</details>`
  })
}

function statusOf(exchange: ReportExchange | undefined): string {
  return exchange?.response?.status.toString() ?? 'no answer'
}

/** One side; what differs from the other side is marked. */
function renderHop(name: string, exchange: ReportExchange | undefined, other: ReportExchange | undefined) {
  if (exchange === undefined)
    return markup`<div><h4>${name}</h4><p>${name === 'Client' ? 'The client disconnected.' : 'No request came here.'}</p></div>`
  return markup`<div><h4>${name}</h4>
${requestOf(exchange.request, `Request body, ${name}`, other?.request)}
${responseOf(exchange.response, `Response body, ${name}`, other?.response ?? undefined)}
${timingOf(exchange)}</div>`
}

function pathOf(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? url : parsed.pathname + parsed.search
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`
}

function headersOf(headers: ReportExchange['request']['headers']): Markup {
  return markup`<div class="headers">${headers.map(([name, value]) => markup`<div><b>${name}:</b> ${value}</div>`)}</div>`
}

type Body = Pick<ReportExchange['request'], 'body' | 'bodyBase64' | 'bodyCutFromBytes' | 'bodyEnd'>

/** A body; if there is another side, what differs from its body is marked. */
function bodyOf(part: Body, name: string, other?: Body) {
  const text = part.body ?? part.bodyBase64
  if (text === undefined) return undefined
  const notes = [
    ...(part.body === undefined ? ['base64, since it is not UTF-8'] : []),
    ...(part.bodyCutFromBytes === undefined ? [] : [`cut; it had ${part.bodyCutFromBytes} bytes`]),
    ...(text.length > SHOWN_BODY_CHARS ? [`the first ${SHOWN_BODY_CHARS} of ${text.length} characters`] : []),
  ]
  const note = notes.length > 0 && markup`<p class="small quiet">${notes.join('; ')}</p>`
  const shown = text.slice(0, SHOWN_BODY_CHARS) + (part.bodyEnd === undefined ? '' : `\n…\n${part.bodyEnd}`)
  return markup`<pre tabindex="0" aria-label="${name}">${other?.body === undefined ? shown : marked(shown, other.body)}</pre>${note}`
}

/** The text with the part marked that differs from another: all but the common beginning and end. */
function marked(text: string, other: string): Markup {
  const most = Math.min(text.length, other.length)
  let start = 0
  while (start < most && text[start] === other[start]) start += 1
  let end = 0
  while (end < most - start && text.at(-1 - end) === other.at(-1 - end)) end += 1
  if (start === text.length && start === other.length) return markup`${text}`
  return markup`${text.slice(0, start)}<mark>${text.slice(start, text.length - end)}</mark>${text.slice(text.length - end)}`
}
