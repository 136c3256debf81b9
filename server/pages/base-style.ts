// The common style of the server's pages: that of all pages, the colours of buttons, and tables.
import { BASE_STYLE } from '../../harness/html/base-style.ts'

export const baseStyle = `${BASE_STYLE}
:root { --on-accent: #ffffff; --on-bad: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --on-accent: #1a1608; --on-bad: #2a0907; } }
.table { background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; overflow: hidden; }
`
