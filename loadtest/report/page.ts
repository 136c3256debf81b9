// The frame of every page of a load test: the verdict, its figures in large type, and one style. A page loads nothing.
import { type Markup, markup } from '../../harness/html/markup.ts'
import { renderPage } from '../../harness/html/page.ts'
import type { VerdictWord } from '../judges/load-verdict.ts'

/** The look of an outcome. */
export const OUTCOMES = {
  pass: { sign: '✓', kind: 'pass', label: 'Pass' },
  fail: { sign: '✗', kind: 'fail', label: 'Fail' },
  invalid: { sign: '?', kind: 'inconclusive', label: 'Not a valid run' },
  'not judged': { sign: '–', kind: 'not-applicable', label: 'not judged' },
} as const

/** A figure that is read first: its name, its value, and what it is compared with. */
export interface Tile {
  readonly name: string
  readonly value: string
  readonly about: string
}

interface Parts {
  readonly title: string
  readonly word?: VerdictWord
  readonly heading: string
  readonly line?: string
  readonly tiles?: readonly Tile[]
  readonly notes: readonly string[]
  readonly content: Markup
}

/** A whole document. `line` is the last line of the console. */
export function loadPage({ title, word, heading, line, tiles = [], notes, content }: Parts): string {
  const outcome = word === undefined ? undefined : OUTCOMES[word]
  return renderPage({
    title: outcome === undefined ? title : `${title}: ${outcome.label}`,
    style: STYLE,
    aside: markup`load test`,
    content: markup`<section class="card verdict" aria-labelledby="verdict">
${outcome && markup`<p class="label ${outcome.kind}"><span aria-hidden="true">${outcome.sign}</span> ${outcome.label}</p>`}
<h1 id="verdict">${heading}</h1>
${tiles.length > 0 && markup`<ul class="tiles">${tiles.map((tile) => markup`<li>${tile.name}<strong>${tile.value}</strong><span class="small quiet">${tile.about}</span></li>`)}</ul>`}
${line && markup`<p class="line"><code>${line}</code></p>`}
${notes.map((note) => markup`<p class="quiet">${note}</p>`)}
</section>
${content}`,
  })
}

/**
 * A card with a table. On a phone the first of the seven columns of `figures` is a line of its own, and so is the interval,
 * the fifth of the six columns of `figures intervals`.
 */
export function tableCard(
  title: string,
  names: readonly string[],
  rows: readonly (readonly (string | number | Markup)[])[],
  style = '',
): Markup {
  return markup`<section class="card"><h2>${title}</h2><table class="${style}"><thead><tr>${names.map((name) => markup`<th>${name}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => markup`<tr>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`)}</tbody></table></section>`
}

/** An outcome as a small plate. */
export function plate(
  { kind, sign }: { readonly kind: string; readonly sign: string },
  text: string,
): Markup {
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
td code { overflow-wrap: anywhere; }
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
