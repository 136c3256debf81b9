// The style of the comparison page, in addition to the shared style.

export const COMPARISON_STYLE = `
.lead { color: var(--faint); margin-top: .25rem; }
.letter { display: inline-grid; place-items: center; width: 1.5rem; height: 1.5rem; border-radius: .4rem; font-size: .85rem; font-weight: 700;
  background: var(--accent-soft); color: var(--accent); }
.servers { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1rem; margin-top: 1.25rem; }
.server { border-top: .3rem solid var(--edge); display: grid; gap: .3rem; align-content: start; }
.server h2 { display: flex; align-items: center; gap: .6rem; }
.server .label { color: var(--said); }
.server .name { font: .925rem/1.4 var(--mono); }
.changes { margin-top: 1.25rem; }
.changes details { margin-top: .9rem; }
.changes summary { font-weight: 600; }
.turn { display: flex; align-items: center; gap: .4rem; margin-top: .2rem; }
.changes ul { margin: .4rem 0 0; padding: 0; list-style: none; }
.changes li { padding: .5rem 0; border-top: 1px solid var(--line); line-height: 1.7; }
.controls { display: grid; grid-template-columns: minmax(12rem, 18rem) 1fr; gap: .9rem 1.5rem; align-items: end; margin: 1.75rem 0 1rem; }
.controls fieldset:last-of-type, .controls [data-status] { grid-column: 1 / -1; }
td { min-width: 10rem; }
thead th { white-space: nowrap; }
tbody th[scope=row] { width: 100%; max-width: 0; min-width: 16rem; }
tr.differs > th { box-shadow: inset .25rem 0 var(--accent); }
.mark { display: inline-grid; place-items: center; width: 1.25rem; height: 1.25rem; border-radius: .3rem; font-weight: 700; font-size: .8rem;
  background: var(--accent-soft); color: var(--accent); }
.text { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 1; overflow: hidden; }
@media (max-width: 46rem) {
  .controls { grid-template-columns: minmax(0, 1fr); }
  td { min-width: 0; }
  tbody th[scope=row] { width: 8rem; min-width: 8rem; max-width: 8rem; }
  .text, .host { display: none; }
}
`
