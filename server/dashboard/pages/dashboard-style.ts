// The stylesheet of the dashboard: light and dark, wide and narrow. It loads nothing.
import { baseStyle } from '../../pages/base-style.ts'

export const style = `${baseStyle}
[hidden] { display: none !important; }
h1 { font-size: 1.6rem; line-height: 1.2; letter-spacing: -.01em; margin: 0 0 .35rem; text-wrap: balance; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; max-width: 42rem; }
code, pre, .mono { font-family: var(--mono); font-size: .9em; }
time, .quiet { color: var(--faint); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.bar > div, main { max-width: 82rem; margin: 0 auto; padding: 0 1.25rem; }
.bar > div { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.5rem; min-height: 3.5rem; }
.bar nav { display: flex; flex-wrap: wrap; gap: .25rem; }
.bar nav a { color: var(--faint); text-decoration: none; font-weight: 550; padding: .3rem .7rem; border-radius: .5rem; }
.bar nav a:hover { color: var(--ink); }
.bar nav a[aria-current] { color: var(--ink); background: var(--ground); box-shadow: inset 0 0 0 1px var(--line); }
.bar form { margin-left: auto; }
main:focus { outline: none; }
main { padding-top: 2.25rem; padding-bottom: 4rem; }
.narrow { max-width: 27rem; }
.narrow h1 + .card { margin-top: 1rem; }
.column { max-width: 44rem; }
.head { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; align-items: start; margin-bottom: 1.25rem; }
.head p { margin: 0; color: var(--faint); }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; padding: 1.5rem; }
.card > :last-child { margin-bottom: 0; }
.card + .card { margin-top: 1rem; }

.button { display: inline-block; font: inherit; font-weight: 600; cursor: pointer; text-decoration: none; white-space: nowrap;
  padding: .5rem .95rem; border-radius: .5rem; border: 1px solid var(--line); background: var(--surface); color: var(--ink); }
.button:hover { border-color: var(--faint); }
.button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.button.danger { background: var(--bad); border-color: var(--bad); color: var(--on-bad); }
.button.risky { border-color: color-mix(in srgb, var(--bad) 55%, transparent); color: var(--bad); }
.button.risky:hover { border-color: var(--bad); background: var(--bad-soft); }
.button.main:hover, .button.danger:hover { filter: brightness(1.08); }
.button.small { padding: .25rem .65rem; font-size: .875rem; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin-top: 1.5rem; }

.note { border-radius: .6rem; padding: .75rem 1rem; margin: 0 0 1.25rem; max-width: none; overflow-wrap: anywhere;
  background: var(--accent-soft); border: 1px solid color-mix(in srgb, var(--accent) 35%, transparent); }
.note.good { background: var(--good-soft); border-color: color-mix(in srgb, var(--good) 35%, transparent); }
.note.bad { background: var(--bad-soft); border-color: color-mix(in srgb, var(--bad) 40%, transparent); }
.note > :last-child { margin-bottom: 0; }
.note p { max-width: none; }
.note ul { margin: .25rem 0 0; padding-left: 1.2rem; }
.note a { color: inherit; }

fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.field { margin: 0 0 1.5rem; }
label.title, legend { display: block; font-weight: 600; padding: 0; margin-bottom: .3rem; }
.hint { display: block; color: var(--faint); font-size: .9rem; font-weight: 400; margin: 0 0 .4rem; }
input[type=text], input[type=search], input[type=password], input[type=number], select { font: inherit; color: inherit; width: 100%;
  padding: .5rem .7rem; min-height: 2.7rem; border-radius: .5rem; border: 1px solid var(--line); background: var(--ground); }
input[aria-invalid=true] { border-color: var(--bad); }
input::placeholder { color: var(--faint); opacity: 1; }
select { width: 100%; padding-right: .4rem; text-overflow: ellipsis; }
.filter { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin: 0 0 1.25rem; }
.filter > div { flex: 1 1 9rem; min-width: 0; max-width: 15rem; }
.filter .button { min-height: 2.7rem; }
.filter > .wide { flex: 3 1 16rem; max-width: none; }
.filter label.title { font-size: .85rem; color: var(--faint); margin-bottom: .2rem; }
input[type=number] { width: 8.5rem; }
input[type=radio], input[type=checkbox] { accent-color: var(--accent); width: 1.05rem; height: 1.05rem; margin: 0; flex: none; }
.choice { display: flex; align-items: center; gap: .6rem; padding: .25rem 0; overflow-wrap: anywhere; }
.indent { border-left: 2px solid var(--line); margin: .4rem 0 0 .45rem; padding: .1rem 0 .1rem 1.1rem; }
.indent label.title { margin-top: .75rem; }
form:has(#access-all:checked) .indent:not(.open) { display: none; }
.row + .row { margin-top: .6rem; }
.row { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; }

table { width: 100%; border-collapse: collapse; }
thead th { text-align: left; font-size: .8rem; font-weight: 600; color: var(--faint); background: var(--ground); white-space: nowrap; }
thead th a { color: inherit; text-decoration: none; }
thead th a:hover { color: var(--ink); text-decoration: underline; }
thead th a::after { content: ' ↕'; opacity: .45; }
thead th[aria-sort] a { color: var(--ink); }
thead th[aria-sort=ascending] a::after { content: ' ↑'; opacity: 1; }
thead th[aria-sort=descending] a::after { content: ' ↓'; opacity: 1; }
th, td { padding: .7rem .8rem; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child > * { border-bottom: 0; }
td { overflow-wrap: anywhere; }
tbody th { text-align: left; font-weight: 400; overflow-wrap: anywhere; min-width: 11rem; max-width: 17rem; }
.name, .clamped { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
.name { font-weight: 600; color: inherit; text-decoration-color: var(--line); }
.name:hover { text-decoration-color: currentColor; }
td, tbody code { font-size: .9rem; }
td.act { text-align: right; }
.key, .act, .spark-cell, .limits li { white-space: nowrap; }
.table time > span { white-space: nowrap; }
td[data-label=Models] { min-width: 9rem; }
.key { color: var(--faint); }
td ul, dd ul { list-style: none; margin: 0; padding: 0; }
.plain tbody th { min-width: 0; font-variant-numeric: tabular-nums; }
.plain td { font-variant-numeric: tabular-nums; }
.audit td code { display: block; }
.bad > span, span.bad { color: var(--bad); }
.state { display: inline-block; white-space: nowrap; font-size: .8rem; font-weight: 600; padding: .1rem .55rem; border-radius: 1rem;
  background: var(--good-soft); color: var(--good); }
.state.revoked { background: transparent; color: var(--faint); border: 1px solid var(--line); }
.who { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; overflow-wrap: anywhere; }

svg { display: block; fill: var(--accent); }
svg .none { fill: var(--line); }
.spark { width: 7.5rem; height: 1.6rem; flex: none; }
.spark-cell { display: flex; gap: .6rem; align-items: end; font-variant-numeric: tabular-nums; }
.chart { width: 100%; height: 8rem; border-bottom: 1px solid var(--line); }
figure { margin: 0 0 1.25rem; }
figcaption { display: flex; justify-content: space-between; gap: 1rem; color: var(--faint); font-size: .85rem; margin-top: .35rem; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem; margin-bottom: 1rem; }
.sides .card + .card { margin-top: 0; }
.sides .card { min-width: 0; }
.pager { display: flex; gap: 1rem; align-items: center; justify-content: center; margin-top: 1.25rem; color: var(--faint); }
details { margin-top: 1.75rem; }
summary { cursor: pointer; font-weight: 600; margin-bottom: .75rem; }
.empty { text-align: center; padding: 3.5rem 1.5rem; }
.empty p { margin-left: auto; margin-right: auto; color: var(--faint); }

.secret { display: block; user-select: all; overflow-wrap: anywhere; font-size: 1.05rem; padding: .9rem 1rem; margin: 0 0 1rem;
  border-radius: .5rem; border: 1px dashed var(--accent); background: var(--accent-soft); }
pre { margin: 0 0 1rem; padding: .9rem 1rem; border-radius: .5rem; background: var(--ground); border: 1px solid var(--line);
  white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.25rem; margin: 0 0 1rem; }
dt { color: var(--faint); }
dd { margin: 0; overflow-wrap: anywhere; }

@media (max-width: 72rem) {
  main { padding-top: 1.5rem; }
  .table:not(.plain) { background: none; border: 0; border-radius: 0; overflow: visible;
    table, tbody, tr, th { display: block; max-width: none; }
    thead { position: absolute; left: -100rem; }
    tr { background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; padding: .9rem 1rem; margin-bottom: .75rem; }
    td, tbody th { border: 0; padding: .2rem 0; }
    tbody th { padding-bottom: .5rem; }
    td { display: flex; gap: 1rem; }
    td::before { content: attr(data-label); color: var(--faint); flex: 0 0 7.5rem; }
    td.act { padding-top: .6rem; }
    td.act::before, td:not(:has(*)) { display: none; }
  }
  .limits li { white-space: normal; }
}
@media (max-width: 34rem) {
  .bar > div { padding-top: .75rem; padding-bottom: .6rem; }
  .bar nav { order: 3; width: 100%; margin: 0 -.6rem; gap: 0; }
  .bar nav a { padding: .3rem .5rem; font-size: .92rem; }
  .card { padding: 1.1rem; }
  .filter > div { flex: 1 1 9rem; max-width: none; }
  .filter > .wide, .filter > :is(div:has(#old), div:has(#new)) { flex-basis: 100%; }
  .filter .button { width: 100%; }
}
`
