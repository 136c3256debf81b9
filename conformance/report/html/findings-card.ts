// The findings at the top of the page: a line for each, which unfolds to its rows, the check that shows it, and all its checks.
import { type Markup, markup, prose } from '../../../harness/html/markup.ts'
import { cut, printable } from '../../../harness/cli/text.ts'
import type { Report } from '../../contract/report.ts'
import { type Finding, findingsOf } from '../findings/findings.ts'
import { plural } from '../labels.ts'
import { plate } from '../outcome-style.ts'
import { renderFinding } from './checks.ts'

/** The longest text of a finding, in characters. */
const SHOWN_CHARS = 160

export function renderWhatToFix(report: Report): Markup | undefined {
  const findings = findingsOf(report)
  if (findings.length === 0) return undefined
  return markup`<section class="card fixes" aria-labelledby="fix">
<h2 id="fix">What to fix, the worst first <span class="quiet">${findings.length}</span></h2>
<ol>${findings.map((finding) => markup`<li>${renderOne(finding)}</li>`)}</ol>
</section>`
}

function renderOne({ requirement: id, requirements, outcome, what, example, checks }: Finding): Markup {
  const others = requirements.length - 1
  const rows = others > 0 && markup` <span class="quiet small">and ${plural(others, 'other row')}</span>`
  return markup`<details>
<summary>${plate(outcome)} <span><b class="id">${id}</b>${rows}</span> <span class="text">${prose(cut(printable(what), SHOWN_CHARS))}</span> <span class="tally quiet small">${plural(checks.length, 'check')}</span></summary>
<p class="small">${requirements.map((row) => markup`<a href="#${row}">${row}</a> `)}</p>
${renderFinding(example)}
${checks.length > 1 && markup`<details class="rest"><summary>All ${checks.length} checks</summary><p class="small">${checks.map((check) => markup`<code>${check.id}</code> `)}</p></details>`}
</details>`
}
