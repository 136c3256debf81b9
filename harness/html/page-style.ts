// The shared style of the judge's pages: light and dark, wide and narrow, screen and paper.

import { BASE_STYLE } from './base-style.ts'

export const PAGE_STYLE = `${BASE_STYLE}
:root {
  --bad-fill: #c8493d; --warn: #7a5200; --warn-soft: #fbf0d2; --warn-fill: #e0a526; --good-fill: #4a9d70;
  --open: #55497e; --open-soft: #efecf8; --open-fill: #8d7fc0; --none-fill: #c9c6bd;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bad-fill: #e2655a; --warn: #f0c25b; --warn-soft: #352a12; --warn-fill: #d6a032; --good-fill: #459a6b;
    --open: #bcaef0; --open-soft: #272238; --open-fill: #8778c4; --none-fill: #4a4f59;
  }
}
/* How much of the right edge of a table is faded, because there is more to scroll to. */
@property --fade { syntax: '<length>'; inherits: false; initial-value: 0px; }
html { scroll-padding-top: 1rem; }
body { overflow-wrap: anywhere; }
[hidden], [data-unfound] { display: none !important; }
h1, h2, h3 { line-height: 1.25; margin: 0; text-wrap: balance; }
h1 { font-size: 1.6rem; letter-spacing: -.01em; }
h2 { font-size: 1.15rem; }
h3 { font-size: 1rem; }
p { margin: 0; }
code, pre { font-family: var(--mono); font-size: .86em; }
.quiet { color: var(--faint); }
.small { font-size: .875rem; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.bar > div, main { max-width: 80rem; margin: 0 auto; padding: 0 1.25rem; }
.bar > div { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; min-height: 3.5rem; padding-block: .5rem; }
.bar .aside { margin-left: auto; color: var(--faint); font-size: .875rem; }
main { padding-top: 2rem; padding-bottom: 5rem; }
/* The colours of an outcome. */
.pass { --said: var(--good); --soft: var(--good-soft); --edge: var(--good-fill); }
.fail, .error { --said: var(--bad); --soft: var(--bad-soft); --edge: var(--bad-fill); }
.warn { --said: var(--warn); --soft: var(--warn-soft); --edge: var(--warn-fill); }
.inconclusive, .not-covered, .open { --said: var(--open); --soft: var(--open-soft); --edge: var(--open-fill); }
.not-applicable, .absent { --said: var(--faint); --soft: transparent; --edge: var(--none-fill); }

.card { background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem 1.5rem; }
.note { border-radius: .6rem; padding: .75rem 1rem; margin-top: 1rem; background: var(--bad-soft);
  border: 1px solid color-mix(in srgb, var(--bad) 40%, transparent); }
.note ul { margin: .25rem 0 0; padding-left: 1.2rem; }

.plate { display: inline-flex; align-items: center; gap: .35rem; white-space: nowrap; font-size: .8rem; font-weight: 600;
  padding: .05rem .55rem .05rem .45rem; border-radius: 1rem; border: 1px solid transparent; line-height: 1.5;
  color: var(--said); background: var(--soft); }
.plate:is(.fail, .error, .warn) { border-color: color-mix(in srgb, var(--said) 45%, transparent); }
.plate:is(.inconclusive, .not-covered) { border: 1px dashed; } .plate:is(.not-applicable, .absent) { border-color: var(--line); }
.sign { display: inline-block; min-width: .9em; font-weight: 700; text-align: center; color: var(--said); }
.strip { display: block; width: 100%; height: .6rem; border-radius: .3rem; }
.strip rect { fill: var(--edge); }

.scroll { position: relative; overflow-x: auto; background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; margin-top: .6rem;
  mask-image: linear-gradient(to left, transparent, #000 var(--fade)); animation: fade linear both; animation-timeline: scroll(self inline); }
/* A table without anything to scroll to has no active timeline, and so neither a hint nor a faded edge. */
.scroll::before { content: 'Scroll sideways for more →' / ''; display: block; position: sticky; left: 0; height: 0; overflow: hidden; padding-left: .7rem;
  font-size: .8rem; color: var(--faint); animation: hint linear both; animation-timeline: scroll(nearest inline); }
@keyframes fade { from, 90% { --fade: 3rem; } to { --fade: 0px; } }
@keyframes hint { from, to { height: 1.7rem; line-height: 1.7rem; } }
@supports not (animation-timeline: scroll()) { @media (max-width: 46rem) { .scroll:not(:has(> .cards))::before { height: 1.7rem; line-height: 1.7rem; } } }
.scroll:has(> .tall) { max-height: 92vh; overflow: auto; }
:where(.scroll) table { border-collapse: separate; border-spacing: 0; width: 100%; }
:where(.scroll) :is(th, td) { text-align: left; vertical-align: top; padding: .45rem .7rem; border-top: 1px solid var(--line); overflow-wrap: break-word; }
:where(.scroll) thead th { border-top: 0; border-bottom: 1px solid var(--line); background: var(--surface); font-size: .85rem; position: sticky; top: 0; z-index: 2; vertical-align: bottom; }
:where(.scroll) thead + tbody > tr:first-child > * { border-top: 0; }
:where(.scroll) tbody th { font-weight: 400; }
:where(.scroll) :is(thead th:first-child, tbody th[scope=row]) { position: sticky; left: 0; z-index: 1; background: var(--surface); }
:where(.scroll) thead th:first-child { z-index: 3; }
.scroll .section th { background: var(--ground); font-size: .85rem; font-weight: 650; padding-block: .35rem; }
.section th span { position: sticky; left: .7rem; }
.section th .quiet { position: static; }
tr[data-row]:hover > * { background: var(--sunk); }

.button, .choices label { font: inherit; font-size: .875rem; cursor: pointer; color: var(--ink);
  border: 1px solid var(--line); background: var(--surface); border-radius: .5rem; padding: .3rem .7rem; }
.button:hover, .choices label:hover { border-color: var(--faint); }
.search { font: inherit; color: inherit; width: 100%; padding: .45rem .7rem; border-radius: .5rem;
  border: 1px solid color-mix(in srgb, var(--faint) 60%, transparent); background: var(--surface); }
.search::placeholder { color: var(--faint); opacity: 1; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
legend { font-size: .8rem; font-weight: 600; color: var(--faint); padding: 0; margin-bottom: .35rem; }
.choices { display: flex; flex-wrap: wrap; gap: .35rem; }
.choices input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
.choices label { position: relative; display: inline-flex; align-items: center; gap: .45rem; }
.choices label:has(:checked) { background: var(--accent-soft); border-color: var(--accent); font-weight: 600; }
.choices label:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 2px; }
.choices .count { color: var(--faint); font-variant-numeric: tabular-nums; font-weight: 400; margin-left: auto; }
.choices .none { color: var(--faint); }

dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.25rem; margin: 0; }
dt { color: var(--faint); } dd { margin: 0; }
pre { margin: 0; padding: .7rem .85rem; border-radius: .5rem; background: var(--sunk); border: 1px solid var(--line);
  white-space: pre-wrap; line-height: 1.45; max-height: 32rem; overflow: auto; }
summary { cursor: pointer; }

@media (max-width: 46rem) {
  main { padding-top: 1.25rem; }
  .bar > div, main { padding-inline: .9rem; }
  .bar .aside { margin-left: 0; }
  .card { padding: 1rem; }
  :where(.scroll) :is(th, td) { padding: .4rem .5rem; }
  .button, .choices label { padding: .45rem .7rem; }
  /* A row of these tables becomes a card, and each cell names its column. */
  .cards, .cards :is(tbody, .section, th, td) { display: block; }
  .cards thead { display: none; }
  .cards tr:not(.section) { display: flex; flex-wrap: wrap; gap: .2rem .9rem; padding: .6rem .7rem; border-top: 1px solid var(--line); }
  .cards tbody:first-of-type > tr:first-child { border-top: 0; }
  .cards :is(th[scope=row], td) { position: static; border: 0; padding: 0; min-width: 0; max-width: 100%; }
  .cards th[scope=row] { flex: 1 0 100%; }
  .cards td[data-label]::before { content: attr(data-label); margin-right: .4rem; font-size: .8rem; color: var(--faint); }
  .cards td:empty { display: none; }
}
@media print {
  :root { color-scheme: light; --ground: #fff; --surface: #fff; --sunk: #fff; --ink: #000; --faint: #444; --line: #bbb; }
  body { font-size: 10pt; }
  .controls, .skip, [data-scripted] { display: none !important; }
  .card, .row, .exchange { break-inside: avoid-page; }
  pre { max-height: none; overflow: visible; }
  .scroll::before { display: none; }
  .scroll, .scroll:has(> .tall) { overflow: visible; mask-image: none; max-height: none; border: 0; }
  .scroll :is(thead th, tbody th[scope=row]) { position: static !important; }
  main { padding: 0; max-width: none; }
}
`
