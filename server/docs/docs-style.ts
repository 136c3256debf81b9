// The stylesheet of the API page: light and dark, wide and narrow. It loads nothing.
import { baseStyle } from '../pages/base-style.ts'

export const style = `${baseStyle}
html { scroll-padding-top: 4.25rem; }
:target { background: var(--accent-soft); }
section:target, article:target { background: none; }
h1, h2, h3 { line-height: 1.2; letter-spacing: -.01em; text-wrap: balance; }
h1 { font-size: 2rem; margin: 0 0 .75rem; }
h2 { font-size: 1.4rem; margin: 0 0 .6rem; }
h3 { font-size: 1rem; letter-spacing: 0; margin: 1.75rem 0 .6rem; }
p { margin: 0 0 1rem; max-width: 44rem; }
code, pre { font-family: var(--mono); font-size: .875em; }
:not(pre) > code { overflow-wrap: anywhere; }
p code, td code.value { background: var(--sunk); border-radius: .3rem; padding: .1em .3em; }

.bar { position: sticky; top: 0; z-index: 1; }
.bar > div { display: flex; align-items: center; gap: 1.25rem; min-height: 3.5rem; max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
.bar nav { margin-left: auto; display: flex; gap: 1.1rem; font-size: .925rem; }

.page { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 3rem; }
.contents { position: sticky; top: 3.5rem; align-self: start; max-height: calc(100vh - 3.5rem); overflow-y: auto; padding: 2.25rem 0; font-size: .9rem; }
.contents ul { list-style: none; margin: 0 0 1.1rem; padding: 0; }
.contents a { display: block; padding: .2rem 0; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
.contents a:hover { color: var(--accent); text-decoration: underline; }
.contents strong a { padding: 0; }
.contents strong { display: block; color: var(--faint); font-size: .78rem; text-transform: uppercase; letter-spacing: .05em; margin-bottom: .2rem; }
main { padding: 2.25rem 0 5rem; min-width: 0; }
main > section { padding-bottom: 1.5rem; margin-bottom: 2.25rem; border-bottom: 1px solid var(--line); }
main > section:last-child { border: 0; }
article { margin-top: 2rem; }

.route { display: flex; flex-wrap: wrap; align-items: center; gap: .6rem; font-family: var(--mono); font-size: 1rem; margin: 0 0 1rem; overflow-wrap: anywhere; }
.method { font-size: .8rem; font-weight: 700; padding: .15rem .55rem; border-radius: .4rem; background: var(--good-soft); color: var(--good); }
.method.post { background: var(--accent-soft); color: var(--ink); }
.tag { display: inline-block; font-size: .75rem; font-weight: 600; border-radius: 1rem; padding: 0 .5rem; background: var(--accent-soft); color: var(--ink); white-space: nowrap; }
.tag.old { background: none; border: 1px solid var(--line); color: var(--faint); }
td .quiet { color: var(--faint); }
.status { font-family: var(--mono); font-weight: 700; }

.table { margin: 0 0 1rem; }
table { width: 100%; border-collapse: collapse; font-size: .925rem; }
th { text-align: left; font-size: .8rem; font-weight: 600; color: var(--faint); background: var(--sunk); }
th, td { padding: .6rem .9rem; vertical-align: top; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; }
td { overflow-wrap: anywhere; }
td ul { margin: 0; padding-left: 1rem; }
td p { margin: 0; }
.fields table { table-layout: fixed; }
.fields th:nth-child(1) { width: 24%; }
.fields th:nth-child(2) { width: 23%; }
.fields th:nth-child(3) { width: 21%; }
.name code { font-weight: 600; }
.name .tag { margin-top: .15rem; }
.inner .name { padding-left: 1.9rem; font-weight: 400; }
.inner .name code { font-weight: 400; }
.limit { color: var(--faint); font-size: .875rem; }
.limit div { margin-bottom: .15rem; }

pre { margin: 0 0 1rem; padding: .9rem 1rem; border-radius: .6rem; background: var(--surface); border: 1px solid var(--line); overflow-x: auto; line-height: 1.45; }
details { margin: 0 0 .75rem; }
summary { cursor: pointer; font-weight: 600; font-size: .925rem; margin-bottom: .5rem; }
footer { color: var(--faint); font-size: .9rem; }

@media (max-width: 60rem) {
  .page { display: block; }
  .contents { position: static; max-height: none; padding: 1.5rem 0 0; columns: 2; }
  .contents ul { break-inside: avoid; }
  .contents .schemas { display: none; }
  main { padding-top: 1.25rem; }
}
@media (max-width: 46rem) {
  h1 { font-size: 1.6rem; }
  .contents { columns: auto; }
  .table { background: none; border: 0; border-radius: 0; overflow: visible; }
  table, tbody, tr, td { display: block; }
  thead { position: absolute; left: -100rem; }
  tr { background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; padding: .8rem 1rem; margin-bottom: .6rem; }
  tr.inner { margin-left: 1rem; }
  td, .inner .name { border: 0; padding: .15rem 0; }
  td:empty { display: none; }
  td[data-label]::before { content: attr(data-label) ' '; color: var(--faint); font-size: .8rem; }
  .limit div { display: inline; }
  .limit div + div::before { content: ' · '; }
}
@media print {
  .bar, .contents { display: none; }
  .page { display: block; }
  pre { white-space: pre-wrap; }
}
`
