// The look of the dashboard: one stylesheet for light and dark, wide and narrow, that loads nothing.

export const style = `
:root {
  color-scheme: light dark;
  --ground: #f6f5f1; --surface: #ffffff; --ink: #1d1f22; --faint: #62666d; --line: #dfdcd3;
  --accent: #8a6410; --accent-soft: #f5ead0; --on-accent: #ffffff;
  --danger: #a8281e; --danger-soft: #fbe9e6; --on-danger: #ffffff;
  --good: #1f6b43; --good-soft: #e2f2e8;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14161a; --surface: #1c1f24; --ink: #e9e7e1; --faint: #9ba0a9; --line: #333842;
    --accent: #e0b04a; --accent-soft: #322a17; --on-accent: #1a1608;
    --danger: #ff8d80; --danger-soft: #3a1f1d; --on-danger: #2a0907;
    --good: #7fd3a3; --good-soft: #17301f;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif; }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .2rem; }
h1 { font-size: 1.6rem; line-height: 1.2; letter-spacing: -.01em; margin: 0 0 .35rem; text-wrap: balance; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; max-width: 42rem; }
code, pre, .mono { font-family: var(--mono); font-size: .9em; }
time, .quiet { color: var(--faint); }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: .5rem; }

.bar { border-bottom: 1px solid var(--line); background: var(--surface); }
.bar > div, main { max-width: 66rem; margin: 0 auto; padding: 0 1.25rem; }
.bar > div { display: flex; align-items: center; gap: 1.25rem; min-height: 3.5rem; }
.bar form { margin-left: auto; }
.brand { display: inline-flex; align-items: center; gap: .55rem; font-weight: 650; color: inherit; text-decoration: none; }
.brand::before { content: ''; width: 1.15rem; height: 1.15rem; border-radius: .3rem;
  background: linear-gradient(125deg, #2b2e33 44%, #d9a735 44% 56%, #2b2e33 56%); border: 1px solid #52565e; }
main { padding-top: 2.25rem; padding-bottom: 4rem; }
.narrow { max-width: 27rem; }
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
.button.danger { background: var(--danger); border-color: var(--danger); color: var(--on-danger); }
.button.main:hover, .button.danger:hover { filter: brightness(1.08); }
.button.small { padding: .25rem .65rem; font-size: .875rem; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin-top: 1.5rem; }

.note { border-radius: .6rem; padding: .75rem 1rem; margin: 0 0 1.25rem; max-width: none; overflow-wrap: anywhere;
  background: var(--accent-soft); border: 1px solid color-mix(in srgb, var(--accent) 35%, transparent); }
.note.good { background: var(--good-soft); border-color: color-mix(in srgb, var(--good) 35%, transparent); }
.note.bad { background: var(--danger-soft); border-color: color-mix(in srgb, var(--danger) 40%, transparent); }
.note > :last-child { margin-bottom: 0; }
.note ul { margin: .25rem 0 0; padding-left: 1.2rem; }
.note a { color: inherit; }

fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.field { margin: 0 0 1.5rem; }
label.title, legend { display: block; font-weight: 600; padding: 0; margin-bottom: .3rem; }
.hint { display: block; color: var(--faint); font-size: .9rem; font-weight: 400; margin: 0 0 .4rem; }
input[type=text], input[type=password], input[type=number] { font: inherit; color: inherit; width: 100%;
  padding: .55rem .7rem; border-radius: .5rem; border: 1px solid var(--line); background: var(--ground); }
input[aria-invalid=true] { border-color: var(--danger); }
input[type=number] { width: 8.5rem; }
input[type=radio], input[type=checkbox] { accent-color: var(--accent); width: 1.05rem; height: 1.05rem; margin: 0; flex: none; }
.choice { display: flex; align-items: center; gap: .6rem; padding: .25rem 0; overflow-wrap: anywhere; }
.indent { border-left: 2px solid var(--line); margin: .4rem 0 0 .45rem; padding: .1rem 0 .1rem 1.1rem; }
.indent label.title { margin-top: .75rem; }
form:has(#access-all:checked) .indent:not(.open) { display: none; }
.row { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; }

table { width: 100%; border-collapse: collapse; }
.table { background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; overflow: hidden; }
th { text-align: left; font-size: .8rem; font-weight: 600; color: var(--faint); background: var(--ground); }
th, td { padding: .7rem 1rem; vertical-align: top; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; }
td { overflow-wrap: anywhere; }
td:first-child { font-weight: 600; min-width: 9rem; }
td time { font-size: .875rem; }
td:last-child { text-align: right; }
td ul { list-style: none; margin: 0; padding: 0; }
.key, td time, td > .quiet { white-space: nowrap; }
.state { display: inline-block; white-space: nowrap; font-size: .8rem; font-weight: 600; padding: .1rem .55rem; border-radius: 1rem;
  background: var(--good-soft); color: var(--good); }
.state.revoked { background: transparent; color: var(--faint); border: 1px solid var(--line); }
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

@media (max-width: 46rem) {
  main { padding-top: 1.5rem; }
  .table { background: none; border: 0; border-radius: 0; overflow: visible; }
  table, tbody, tr, td { display: block; }
  thead { position: absolute; left: -100rem; }
  tr { background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; padding: .9rem 1rem; margin-bottom: .75rem; }
  td { display: flex; gap: 1rem; border: 0; padding: .2rem 0; }
  td::before { content: attr(data-label); color: var(--faint); font-weight: 400; flex: 0 0 5.5rem; }
  td:last-child { text-align: left; padding-top: .6rem; }
  td:last-child:not(:has(a)), td:last-child::before { display: none; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; }
}
`
