// The common style of all pages: colours for light and dark, links, and the bar at the top.

export const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f5f1; --surface: #ffffff; --sunk: #f3f1eb; --ink: #1d1f22; --faint: #5c6067; --line: #dfdcd3;
  --accent: #7d5a0c; --accent-soft: #f5ead0;
  --bad: #a8281e; --bad-soft: #fbe9e6; --good: #1f6b43; --good-soft: #e2f2e8;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14161a; --surface: #1c1f24; --sunk: #16181c; --ink: #e9e7e1; --faint: #a2a7b0; --line: #333842;
    --accent: #e0b04a; --accent-soft: #322a17;
    --bad: #ff9488; --bad-soft: #3a1f1d; --good: #7fd3a3; --good-soft: #17301f;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif; }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .25rem; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--surface); padding: .3rem .6rem; z-index: 9; }
.bar { border-bottom: 1px solid var(--line); background: var(--surface); }
.brand { display: inline-flex; align-items: center; gap: .55rem; font-weight: 650; color: inherit; text-decoration: none; }
.brand::before { content: ''; width: 1.15rem; height: 1.15rem; border-radius: .3rem;
  background: linear-gradient(125deg, #2b2e33 44%, #d9a735 44% 56%, #2b2e33 56%); border: 1px solid #52565e; }
`
