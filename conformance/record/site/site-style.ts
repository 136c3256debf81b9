// The style of the site, in addition to the style that the judge's pages share: marks, matrices, cards.
import { PAGE_STYLE } from '../../../harness/html/page-style.ts'

/** The style sheet. `columns` is the most entries of one board: their columns are shown by their check boxes. */
export function siteStyle(columns: number): string {
  const picked = Array.from({ length: columns }, (_, at) => pickedColumn(at))
  return `${PAGE_STYLE}${STYLE}${picked.join('')}${LAST}`
}

/** The first column of a grid is that of the requirements. */
function pickedColumn(at: number): string {
  return `.pickable:has(#c${at}:checked) tr:not(.section) > :nth-child(${at + 2}) { display: table-cell; }\n`
}

const STYLE = `
main { max-width: 84rem; }
.bar > div { max-width: 84rem; }
.brand { color: inherit; text-decoration: none; }
.bar nav { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; }
.bar nav a { color: var(--ink); text-decoration: none; }
.bar nav a:hover { text-decoration: underline; }
.bar .find { margin-left: auto; width: 14rem; }
h1 { font-size: 1.75rem; }
h2 { margin: 2.5rem 0 .6rem; font-size: 1.25rem; }
h3 { margin: 1.75rem 0 .6rem; font-size: 1.05rem; }
h4 { margin: 0; font-size: 1rem; line-height: 1.4; }
.card > h2:first-child, .card > h3:first-child { margin-top: 0; }
.lead { text-wrap: pretty; max-width: 62rem; margin: .5rem 0 1rem; font-size: 1.05rem; color: var(--faint); }
.id, .version { font-variant-numeric: tabular-nums; white-space: nowrap; }
.id { font-weight: 650; }
.level { font-size: .72rem; font-weight: 650; letter-spacing: .03em; color: var(--faint); }
.verified { font-size: .72rem; font-weight: 650; color: var(--good); border: 1px solid var(--good); border-radius: .3rem; padding: 0 .3rem; }
.stale { font-size: .72rem; font-weight: 650; color: var(--warn); border: 1px dashed var(--warn); border-radius: .3rem; padding: 0 .3rem; }
.foot { max-width: 84rem; margin: 0 auto; padding: 0 1.25rem 2.5rem; color: var(--faint); font-size: .875rem; }

.counts { display: inline-flex; flex-wrap: wrap; gap: .3rem; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; font-size: .85rem; margin: 0 0 1.5rem; }
.legend div { display: flex; align-items: baseline; gap: .5rem; } .legend dd { color: var(--faint); }

.filters { display: flex; flex-wrap: wrap; align-items: end; gap: .6rem 1rem; margin: 1rem 0; }
.filters label { min-width: 0; max-width: 100%; display: grid; grid-template-columns: minmax(0, 1fr); gap: .15rem; font-size: .8rem; color: var(--faint); }
.filters .wide { flex: 1; max-width: 36rem; }
.filters select { min-width: 0; width: 100%; }
select { font: inherit; font-size: .9rem; color: var(--ink); background: var(--surface); border: 1px solid var(--line); border-radius: .5rem; padding: .35rem .5rem; max-width: 100%; }
.picks { padding: .7rem 1rem; } .picks .choices { margin-top: .7rem; }
.choices label { padding-left: .5rem; }
.choices label input { position: static; width: auto; height: auto; opacity: 1; inset: auto; accent-color: var(--accent); }


.stats { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.6rem; margin: 0 0 1rem; padding: 0; color: var(--faint); }
.stats b { color: var(--ink); font-size: 1.15rem; font-variant-numeric: tabular-nums; } .stats a { color: inherit; }
.overview { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1rem; align-items: start; margin-bottom: 2.5rem; }
.overview > div { min-width: 0; margin: 0; display: grid; gap: 1rem; } .overview > .scroll { display: block; }
.overview .card { padding: .8rem 1.1rem; } .overview h2 { font-size: 1.05rem; margin: 0 0 .3rem; }
.tiers { table-layout: fixed; } .tiers thead th:first-child { width: 44%; }
.tiers :is(th, td) { padding-block: .28rem; } .tier .strip { background: var(--edge); } .tier { display: grid; grid-template-columns: 4.2rem minmax(2rem, 1fr); align-items: center; gap: .4rem; white-space: nowrap; font-variant-numeric: tabular-nums; }
.common { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: fit-content(14rem) minmax(0, 1fr); gap: 0 .8rem; }
.common li { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; padding: .28rem 0; border-top: 1px solid var(--line); font-size: .9rem; }
.common li:first-child { border-top: 0; }
.matched b { font-weight: 600; font-variant-numeric: tabular-nums; } .matched td a { text-decoration: none; color: inherit; }
.matched td a:hover { text-decoration: underline; } .matched .count { color: var(--said); white-space: nowrap; font-size: .85rem; margin-left: .3rem; }
.works-with { list-style: none; margin: 0; padding: 0; }
.works-with li { display: grid; grid-template-columns: minmax(0, 18rem) minmax(0, 1fr); gap: 0 1rem; padding: .4rem 0; border-top: 1px solid var(--line); }
.exchange { margin: .4rem 0; }
.versions :is(th, time, .tiers) { white-space: nowrap; } .versions .tiers { display: block; margin-top: .25rem; }

.front { table-layout: fixed; min-width: 44rem; }
.front thead th:first-child { width: 16rem; } .front thead th { padding-inline: .55rem .2rem; font-size: .8rem; }
.front th[scope=row] a { font-weight: 600; }
.front thead .id { display: block; } .front thead .name { font-weight: 400; color: var(--faint); }
.front thead a { color: inherit; text-decoration: none; } .front thead a:hover { text-decoration: underline; }
.front td { font-variant-numeric: tabular-nums; }
.many thead .name { display: none; }
.front i { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.front td { padding-inline: .55rem .2rem; }
.front b { display: inline-block; min-width: 1.9rem; white-space: nowrap; color: var(--said); font-weight: 600; margin-right: .15rem; }
.front b.not-applicable { font-weight: 400; } .front b.inconclusive { text-decoration: underline dashed 1px; text-underline-offset: .25em; }
.front tbody tr:hover > * { background: var(--sunk); }

.grid th[scope=row] { min-width: 20rem; max-width: 44rem; }
.grid td { text-align: center; min-width: 2.6rem; padding-inline: .4rem; }
.grid td.fail { background: var(--bad-soft); } .grid td.warn { background: var(--warn-soft); }
.grid td.inconclusive { background: repeating-linear-gradient(45deg, transparent 0 5px, var(--open-soft) 5px 10px); }
.grid td a { display: block; text-decoration: none; }
.grid thead th:not(:first-child) { text-align: center; max-height: 12rem; white-space: nowrap; padding: .6rem .3rem; }
.grid thead th:not(:first-child) > span { writing-mode: vertical-rl; transform: rotate(180deg); display: inline-block; }
.grid thead th a { color: inherit; text-decoration: none; font-weight: 600; } .grid thead a:hover { text-decoration: underline; }
.grid thead .version { font-weight: 400; color: var(--faint); }
.older { display: none; }
.pickable:has(.picks :checked) tr:not(.section) > :nth-child(n + 2) { display: none; }
.rule { font-size: .9rem; }
.item { display: grid; grid-template-columns: 5.6rem minmax(0, 1fr); }
.grid .rule { display: -webkit-inline-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; vertical-align: top; max-width: 38rem; }

.causes { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: .9rem; }
.causes .card { padding: .9rem 1.1rem; display: grid; gap: .4rem; align-content: start; }
.what { font-weight: 600; }
.causes dl { font-size: .9rem; gap: .1rem .8rem; }
.class { font-weight: 650; } .class.defect { color: var(--bad); } .class.deliberate { color: var(--open); } .class.debatable { color: var(--warn); }
.causes ul, .checks { margin: .3rem 0 0; padding: 0; list-style: none; font-size: .875rem; }
.facts dl { margin-bottom: .9rem; } .facts img { vertical-align: middle; max-width: 100%; }
.row { background: var(--surface); border: 1px solid var(--line); border-radius: .5rem; margin-top: .35rem; padding: .45rem .8rem; border-left: .3rem solid var(--said, var(--line)); }
.row.inconclusive { border-left-style: dashed; }
.row .plate { min-width: 8.5rem; } .row .cause { margin: .4rem 0 0; font-weight: 600; }
.checks li { padding: .15rem 0; } .checks.wide li { padding: .35rem 0; border-top: 1px solid var(--line); display: grid; }
.step { border-left: .25rem solid var(--line); padding: .1rem 0 .4rem 1rem; margin: 1rem 0; }
.step ul { list-style: none; margin: .4rem 0; padding: 0; font-size: .9rem; }
.step li { display: grid; grid-template-columns: 6rem minmax(0, 1fr) auto; gap: .2rem .8rem; padding: .35rem 0; border-top: 1px solid var(--line); }
.note { background: var(--warn-soft); border-color: color-mix(in srgb, var(--warn) 40%, transparent); padding: .45rem .8rem; margin-top: .6rem; }
.turn { margin-top: .6rem; } .turn > summary { font-weight: 600; }
.turn.broke > summary { color: var(--bad); } .turn.fixed > summary { color: var(--good); }
.from { display: flex; flex-wrap: wrap; gap: .3rem; align-items: baseline; }
.reply { margin: .6rem 0; } .reply p { white-space: pre-wrap; }
.rule-text { font-size: 1.15rem; line-height: 1.55; max-width: 60rem; margin: .6rem 0 1rem; }
.holders { display: grid; gap: .9rem; padding: 1rem 1.25rem; } .holders h3 { margin: 0 0 .3rem; }
.holders ul { list-style: none; margin: 0; padding: 0; font-size: .95rem; }
.inline { display: flex; flex-wrap: wrap; gap: .1rem 1.4rem; }
.failing li { display: grid; grid-template-columns: minmax(0, 14rem) minmax(0, 1fr); gap: 0 1rem; padding: .25rem 0; border-top: 1px solid var(--line); }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem; margin-top: 1rem; }
.sides p { margin-top: .4rem; }
.pair th[scope=row] { width: 46%; min-width: 12rem; } .pair td { min-width: 12rem; } .pair td p { margin-top: .3rem; }
.pair td a { text-decoration: none; }
.requirements, .index { list-style: none; margin: 0; padding: 0; }
.requirements li { display: grid; grid-template-columns: 6rem minmax(0, 1fr); padding: .4rem 0; border-top: 1px solid var(--line); }
.index li { padding: .4rem 0; border-top: 1px solid var(--line); }
.links a { display: inline-block; margin-right: .8rem; }
`

/** These rules follow those that show the chosen columns. */
const LAST = `
@media (max-width: 46rem) {
  .bar .find { margin-left: 0; width: 100%; }
  h1 { font-size: 1.4rem; }
  .legend { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .35rem .75rem; }
  .legend div { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; }
  .front { min-width: 0; }
  .front b { min-width: 0; }
  .common, .works-with li { grid-template-columns: minmax(0, 1fr); } .tier { grid-template-columns: minmax(0, 1fr); gap: .15rem; }
  .matched td { flex: 1 0 100%; }
  .failing li { grid-template-columns: minmax(0, 1fr); }
  .item { grid-template-columns: minmax(0, 1fr); }
  .grid th[scope=row] { min-width: 9rem; max-width: 9rem; }
  .grid .rule { font-size: .75rem; }
  .pair th[scope=row] { width: auto; } .pair td { flex: 1 0 100%; }
  .step li { grid-template-columns: minmax(0, 1fr); }
  .row .plate { min-width: 0; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: .35rem; }
}
@media print {
  .bar nav, .find, .filters, .picks, .foot a { display: none !important; }
  h2, h3, h4, summary { break-after: avoid; }
}
`
