// The style of the report page, in addition to the shared style.

export const HTML_STYLE = `
.top { display: grid; grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr); gap: 1.25rem; align-items: start; }
.verdict { min-height: 100%; border-left: .4rem solid var(--edge); display: flex; flex-direction: column; gap: .75rem; }
.verdict .label { display: flex; align-items: center; gap: .75rem; font-size: 2.2rem; font-weight: 700; line-height: 1.1;
  letter-spacing: -.02em; color: var(--said); }
.verdict .big { font-size: 1.9rem; }
.verdict h1 { font: 500 1.15rem/1.3 var(--mono); letter-spacing: 0; }
.verdict .said { font-size: 1.1rem; }
.legend { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .4rem 1.1rem; }
.legend b { font-variant-numeric: tabular-nums; margin-right: .15rem; }
.verdict .tail { margin-top: auto; }
.target summary { font-size: .875rem; font-weight: 600; }
.target h2 { margin-bottom: .6rem; }
.target h3, .target details { margin-top: .9rem; }
.target h3 { margin-bottom: .25rem; font-size: .875rem; }
.target dl { font-size: .925rem; }
.capabilities { list-style: none; margin: 0; padding: 0; }
.capabilities code { display: inline-block; padding: 0 .4rem; margin: .1rem .1rem .1rem 0; border: 1px solid var(--line); border-radius: .35rem; background: var(--sunk); }
.refused code { border-style: dashed; color: var(--faint); }

.fixes { margin-top: 1.25rem; }
.fixes h2 { margin-bottom: .6rem; }
.fixes ol { list-style: none; margin: 0; padding: 0; }
.fixes li + li { border-top: 1px solid var(--line); }
.fixes li > details > summary { display: grid; grid-template-columns: 6.5rem 12rem minmax(0, 1fr) 6rem; gap: .1rem .5rem; align-items: baseline; padding: .35rem 0; list-style: none; }
.fixes li > details > summary::-webkit-details-marker { display: none; }
.fixes li > details > summary:hover { background: var(--sunk); }
.fixes li > details[open] { padding-bottom: .9rem; }
.fixes .plate { justify-self: start; } .fixes .id { white-space: nowrap; }
.fixes .tally { text-align: right; }

.columns { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 2rem; margin-top: 2rem; align-items: start; }
.controls { position: sticky; top: 1rem; display: grid; gap: 1.1rem; max-height: calc(100vh - 2rem); overflow-y: auto; padding: 3px; margin: -3px; }
.controls .choices { flex-direction: column; gap: .15rem; }
.controls .choices label { padding: .22rem .6rem; border-color: transparent; background: none; }
.controls .choices label:hover { background: var(--surface); }
.controls .choices label:has(:checked) { background: var(--accent-soft); border-color: var(--accent); }
.actions { display: flex; gap: .4rem; }
.group + .group { margin-top: 2.25rem; }
.group > h2 { margin-bottom: .6rem; }
.group > h2 .quiet { font-weight: 400; }

.row { display: block; background: var(--surface); border: 1px solid var(--line); border-top-width: 0; color: inherit; text-decoration: none; }
h2 + .row { border-top-width: 1px; border-radius: .75rem .75rem 0 0; }
.row:last-child { border-radius: 0 0 .75rem .75rem; }
h2 + .row:last-child { border-radius: .75rem; }
.row > summary, a.row { display: grid; grid-template-columns: 8.6rem 6rem 7rem minmax(0, 1fr) 7.2rem; gap: .1rem .5rem;
  align-items: baseline; padding: .5rem 1rem; list-style: none; }
.row > summary::-webkit-details-marker { display: none; }
.row > summary:hover, a.row:hover { background: var(--sunk); }
.row .tally { text-align: right; }
.row .plate { justify-self: start; }
.row .text { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 1; overflow: hidden; }
.row[open] > summary .text { visibility: hidden; }
.row[open] > summary { border-bottom: 1px solid var(--line); }
.row:is(.fail, .error, .warn) { box-shadow: inset .25rem 0 var(--edge); }
.row.inconclusive, .row.not-covered { background: repeating-linear-gradient(-45deg, var(--surface) 0 .6rem, color-mix(in srgb, var(--sunk) 55%, var(--surface)) .6rem 1.2rem); }
.row.not-applicable .text { color: var(--faint); }
.row > :not(summary) { margin-inline: 1.25rem; }
.row > :last-child { margin-bottom: 1rem; }
a.row > * { margin-inline: 0; }
a.row > :last-child { margin-bottom: 0; }
blockquote { margin: 1rem 0; padding: .1rem 0 .1rem 1rem; border-left: 3px solid var(--accent); max-width: 52rem; }
blockquote footer { margin-top: .2rem; }

.check { padding: .35rem 0; }
.check h3 { font-size: .95rem; font-weight: 500; }
.check:is(.pass, .not-applicable) > h3 { font-weight: 400; }
.check:is(.fail, .error, .warn, .inconclusive) { padding: .9rem 0; border-top: 1px solid var(--line); display: grid; gap: .6rem; }
.check:is(.fail, .error, .warn, .inconclusive) > h3 { font-weight: 650; }
blockquote + .check { border-top: 0; padding-top: 0; }
.verdict dt { font-size: .875rem; }
dl.verdict { border: 0; display: grid; gap: .3rem 1rem; }
dl.verdict dd { font-family: var(--mono); font-size: .86rem; padding: .25rem .6rem; border-radius: .35rem; white-space: pre-wrap; }
dl.verdict .expected { background: var(--good-soft); }
dl.verdict .actual { background: var(--bad-soft); }
.reason { white-space: pre-wrap; }
.command { display: grid; grid-template-columns: 1fr auto; gap: .25rem .5rem; align-items: center; }
.command pre { grid-column: 1 / -1; max-height: 9rem; }
.command .button { padding: .1rem .6rem; font-size: .8rem; }
.exchange { border: 1px solid var(--line); border-radius: .5rem; background: var(--surface); margin-top: .35rem; }
.exchange > summary { padding: .35rem .75rem; }
.sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1rem; padding: .5rem .75rem .9rem; border-top: 1px solid var(--line); }
.sides > div { display: grid; gap: .45rem; align-content: start; }
.hops mark { background: color-mix(in srgb, var(--bad-fill) 35%, transparent); color: inherit; border-radius: .15rem; }
.sides h4 { margin: 0; font-size: .8rem; color: var(--faint); }
.headers { font: .8rem/1.5 var(--mono); }
.headers b { font-weight: 500; color: var(--faint); }
.rest { border-top: 1px solid var(--line); padding-top: .6rem; }

@media (max-width: 62rem) {
  .top, .columns { grid-template-columns: minmax(0, 1fr); }
  .columns { gap: 1.5rem; }
  .controls { position: static; max-height: none; }
  .controls .choices { flex-direction: row; gap: .35rem; }
  .controls .choices label { background: var(--surface); border-color: var(--line); }
}
@media (max-width: 46rem) {
  .row > summary, a.row { grid-template-columns: auto auto 1fr; padding: .6rem .9rem; }
  .fixes li > details > summary { grid-template-columns: auto auto 1fr; } .fixes .text { grid-column: 1 / -1; grid-row: 2; }
  .row .level { justify-self: start; }
  .row .text { grid-column: 1 / -1; grid-row: 2; -webkit-line-clamp: 2; }
  .row .tally { justify-self: end; grid-column: 1 / -1; grid-row: 3; display: none; }
  .row[open] > summary .text { display: none; }
  .row > :not(summary) { margin-inline: .9rem; }
  a.row > * { margin-inline: 0; }
  .sides { grid-template-columns: minmax(0, 1fr); }
  .verdict .label { font-size: 1.8rem; }
  .target dl, dl.verdict { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .target dd { margin-bottom: .35rem; }
  dl.verdict dd { margin-bottom: .3rem; }
}
@media print {
  .columns, .top { display: block; }
  .card { margin-bottom: 1rem; }
  .row:is(.fail, .error, .warn)::details-content { content-visibility: visible; display: block; }
}
`
