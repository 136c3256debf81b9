// The verdict at the top of the page: how much was judged, and the outcomes.
import type { RequirementRow } from './rows.ts'
import { type Markup, markup } from '../../../harness/html/markup.ts'
import { STYLES, type Shown, VERDICTS, plate } from '../outcome-style.ts'
import type { Report } from '../../contract/report.ts'
import {
  NO_LONGER_OFFERED,
  holdAndNot,
  judgedRows,
  plural,
  sentence,
  subjectOf,
  tierLine,
  verdictNotes,
} from '../labels.ts'
import { runNotes } from '../findings/describe.ts'

export function renderVerdict(report: Report, rows: readonly RequirementRow[]): Markup {
  const { totals, exitCode } = report
  const { sign, label, kind } = VERDICTS[exitCode]
  const judged = judgedRows(report)
  const { open } = judged
  const tiers = tierLine(report.requirements)
  const counts = ORDER.flatMap((outcome) => {
    const count = outcome === 'not-covered' ? 0 : totals[outcome]
    return count === 0 ? [] : [`${count} ${STYLES[outcome].label}`]
  })
  return markup`<section class="card verdict ${kind}" aria-labelledby="verdict">
<p class="label"><span class="big" aria-hidden="true">${sign}</span>${label}</p>
<h1 id="verdict"><span class="visually-hidden">${label}: </span>${subjectOf(report)}</h1>
<p class="said"><strong>${sentence(judged.what)}</strong>
${holdAndNot(judged)}${open > 0 && markup`, ${open} ${open === 1 ? 'is' : 'are'} not known`}.</p>
${tiers !== '' && markup`<p class="tiers">${tiers}</p>`}
${strip(rows)}
<ul class="legend">${ORDER.map((outcome) => legend(outcome, rows))}</ul>
<p class="small quiet tail">${plural(report.checks.length, 'check')}: ${counts.join(', ')}.</p>
${notes(report)}
</section>`
}

const ORDER = ['pass', 'error', 'fail', 'warn', 'inconclusive', 'not-covered', 'not-applicable'] as const

function legend(outcome: Shown, rows: readonly RequirementRow[]): Markup | undefined {
  const count = rows.filter((row) => row.outcome === outcome).length
  return count === 0 ? undefined : markup`<li><b>${count}</b> ${plate(outcome)}</li>`
}

/** A bar with a part for each outcome, in proportion to its requirements; the legend shows the numbers. */
function strip(rows: readonly RequirementRow[]): Markup {
  let from = 0
  const parts = ORDER.flatMap((outcome) => {
    const width = rows.filter((row) => row.outcome === outcome).length
    const part = markup`<rect class="${outcome}" x="${from}" width="${width}" height="1"/>`
    from += width
    return width === 0 ? [] : [part]
  })
  return markup`<svg class="strip" viewBox="0 0 ${Math.max(1, from)} 1" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`
}

function notes(report: Report): Markup | undefined {
  const { noLongerOffered = [] } = report
  const lines = [
    ...report.faults.map((fault) => `The judge itself: ${fault}`),
    ...verdictNotes(report).map((note) => `${note}.`),
    ...runNotes(report).map(sentence),
    ...(noLongerOffered.length === 0 ? [] : [`${NO_LONGER_OFFERED}: ${noLongerOffered.join(', ')}.`]),
  ]
  return lines.length === 0
    ? undefined
    : markup`<div class="note"><ul>${lines.map((line) => markup`<li>${line}</li>`)}</ul></div>`
}
