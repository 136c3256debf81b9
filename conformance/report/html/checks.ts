// Checks on the page: expected and actual value, how to repeat the check, and its exchanges.
import { type Markup, markup, prose } from '../../../harness/html/markup.ts'
import { STYLES, plate } from '../outcome-style.ts'
import { timelineOf } from './timeline.ts'
import type { ReportCheck, ReportExchange } from '../schema.ts'

/** The longest body on the page, in characters; the JSON report has more. */
const SHOWN_BODY_CHARS = 12_000

/** A check that failed or has no verdict: all details, with its latest exchange unfolded. */
export function renderFinding(check: ReportCheck): Markup {
  const { outcome, baseline, variable, place } = check
  return markup`<section class="check ${outcome}" aria-label="${check.id}">
<h3>${plate(outcome)} ${prose(check.title)} ${idOf(check)}</h3>
${verdictOf(check)}
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

/** All exchanges of a check; the last one is unfolded if it is the evidence. */
function exchangesOf({ exchanges }: ReportCheck, evidence: boolean): readonly Markup[] {
  return exchanges.map((exchange, at) => renderExchange(exchange, evidence && at === exchanges.length - 1))
}

function renderExchange(exchange: ReportExchange, open: boolean): Markup {
  const { request, response, timings } = exchange
  const answer = response === null ? 'no answer' : String(response.status)
  const ended = response?.ended === undefined ? '' : `, ${response.ended}`
  const took = timings === null ? '' : `${ms(timings.totalMs)}`
  const timing =
    timings !== null &&
    markup`<p class="small quiet">First byte after ${ms(timings.firstByteMs)}, last after ${ms(timings.totalMs)}${ended}.</p>`
  return markup`<details class="exchange"${open && markup` open`}>
<summary><code>${request.method} ${pathOf(request.url)}</code> <span aria-hidden="true">→</span><span class="visually-hidden">was answered</span> <strong>${answer}</strong> <span class="quiet small">${took}</span></summary>
<div class="sides">
<div><h4>Request</h4><p><code>${request.method} ${request.url}</code></p>${headersOf(request.headers)}${bodyOf(request, 'Request body')}</div>
<div><h4>Response</h4>${
    response === null
      ? markup`<p>No answer came.</p>`
      : markup`<p><code>status ${response.status}</code></p>${headersOf(response.headers)}${bodyOf(response, 'Response body')}`
  }${timing}</div>
</div>
</details>`
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

function bodyOf(
  part: Pick<ReportExchange['request'], 'body' | 'bodyBase64' | 'bodyCutFromBytes'>,
  name: string,
) {
  const text = part.body ?? part.bodyBase64
  if (text === undefined) return undefined
  const notes = [
    ...(part.body === undefined ? ['base64, since it is not UTF-8'] : []),
    ...(part.bodyCutFromBytes === undefined ? [] : [`cut; it had ${part.bodyCutFromBytes} bytes`]),
    ...(text.length > SHOWN_BODY_CHARS ? [`the first ${SHOWN_BODY_CHARS} of ${text.length} characters`] : []),
  ]
  const note = notes.length > 0 && markup`<p class="small quiet">${notes.join('; ')}</p>`
  return markup`<pre tabindex="0" aria-label="${name}">${text.slice(0, SHOWN_BODY_CHARS)}</pre>${note}`
}
