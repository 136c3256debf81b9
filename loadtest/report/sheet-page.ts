// A report as one page that loads nothing: the verdict, its figures in large type, tables and plots.
import { type Markup, markup } from '../../harness/html/markup.ts'
import { renderPage as renderFrame } from '../../harness/html/page.ts'
import { renderPlot } from './plots.ts'
import { LOOKS, type Look, type SheetRow, type Sheet, type Table } from './sheet.ts'

const LABELS = { pass: 'Pass', fail: 'Fail', invalid: 'Not a valid run' } as const

/** A whole document. */
export function renderPage(sheet: Sheet): string {
  const { title, verdict, heading, tiles = [], about, parts, invalid = [], notes = [], line } = sheet
  const label = verdict && LABELS[verdict]
  return renderFrame({
    title: label === undefined ? title : `${title}: ${label}`,
    style: STYLE,
    aside: markup`load test`,
    content: markup`<section class="card verdict" aria-labelledby="verdict">
${verdict && markup`<p class="label ${LOOKS[verdict].kind}"><span aria-hidden="true">${LOOKS[verdict].sign}</span> ${label}</p>`}
<h1 id="verdict">${title} · ${heading}</h1>
${tiles.length > 0 && markup`<ul class="tiles">${tiles.map((tile) => markup`<li>${tile.name}<strong>${tile.value}</strong><span class="small quiet">${tile.about}</span></li>`)}</ul>`}
${line && markup`<p class="line"><code>${line}</code></p>`}
${[...about, ...invalid, ...notes].map((note) => markup`<p class="quiet">${note}</p>`)}
</section>
${parts.map((part) => part && ('series' in part ? renderPlot(part) : part.rows.length > 0 && tableCard(part)))}`,
  })
}

/**
 * A card with a table. On a phone the first cell of a row of figures is a line of its own, and so is an interval before an
 * outcome.
 */
function tableCard({ title, columns, rows, kind }: Table): Markup {
  const hasOutcome = rows.some(({ outcome }) => outcome !== undefined)
  const style = kind === 'sentences' ? kind : hasOutcome ? 'figures intervals' : 'figures'
  return markup`<section class="card"><h2>${title}</h2><table class="${style}"><thead><tr>${columns.map((name) => markup`<th>${name}</th>`)}${hasOutcome && markup`<th></th>`}</tr></thead>
<tbody>${rows.map((row) => markup`<tr>${cellsOf(row)}</tr>`)}</tbody></table></section>`
}

function cellsOf({ cells: [name = '', ...cells], about, outcome }: SheetRow): Markup {
  return markup`<td>${name}${about && markup`<br><span class="small quiet">${about}</span>`}</td>${cells.map((cell) => markup`<td>${cell}</td>`)}${outcome && markup`<td>${plate(outcome.look, outcome.text)}</td>`}`
}

/** An outcome as a small plate. */
function plate({ kind, sign }: Look, text: string): Markup {
  return markup`<span class="plate ${kind}"><span class="sign" aria-hidden="true">${sign}</span>${text}</span>`
}

const STYLE = `
.card { margin-top: 1.25rem; overflow-x: auto; }
.verdict { margin-top: 0; }
.verdict .label { font-size: 1.3rem; font-weight: 700; }
.label.pass { color: var(--good); } .label.fail { color: var(--bad); } .label.inconclusive { color: var(--open); }
.tiles { list-style: none; display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1rem 0; padding: 0; }
.tiles li { display: flex; flex-direction: column; padding: .6rem .9rem; border-radius: .5rem; background: var(--sunk); font-size: .925rem; }
.tiles strong { font-size: 1.5rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.verdict .line { margin: .75rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; margin-top: .75rem; font-size: .925rem; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--faint); font-weight: 600; font-size: .8rem; }
th, td { overflow-wrap: break-word; padding: .35rem .9rem .35rem 0; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; }
.plot { margin-inline: 0; }
figcaption { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; }
.sentences td { overflow-wrap: anywhere; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; padding: 0; font-size: .875rem; }
.legend li { display: inline-flex; align-items: center; gap: .4rem; }
.legend svg { width: 1rem; height: .625rem; }
.chart { display: block; width: 100%; height: auto; margin-top: .75rem; }
.chart text { fill: var(--faint); font-size: 11px; }
.plot path { fill: none; stroke-width: 2; }
.plot path.grid { stroke: var(--line); stroke-width: 1; }
rect.a { fill: var(--good-fill); } rect.c { fill: var(--bad-fill); } rect.d { fill: var(--warn-fill); } rect.e { fill: var(--open-fill); }
path.a { stroke: var(--good-fill); } path.b { stroke: var(--faint); } path.c { stroke: var(--bad-fill); }
path.d { stroke: var(--warn-fill); } path.bound { stroke: var(--bad-fill); stroke-dasharray: 6 4; }
.figures th:not(:first-child), .figures td:not(:first-child) { text-align: right; white-space: nowrap; }
path.e { stroke: var(--open-fill); } path.lower { stroke: var(--open-fill); stroke-dasharray: 6 4; }
@media (max-width: 46rem) {
  .figures tr { display: grid; grid-template-columns: repeat(6, 1fr); border-top: 1px solid var(--line); }
  .figures th, .figures td { border: 0; padding: .2rem 0; }
  .figures th:first-child, .figures td:first-child { grid-column: 1 / -1; padding-top: .4rem; }
  .intervals tr { grid-template-columns: repeat(4, 1fr); }
  .intervals th:nth-child(5), .intervals td:nth-child(5) { order: 1; grid-column: 1 / -1; }
  .chart { overflow: visible; } .chart text { font-size: 22px; }
}
`
