// The report as one page that loads nothing: every requirement, folded, with its checks and their evidence.
import { isRequirementId, requirement } from '../../spec/requirements.ts'
import { renderExchange } from './failure.ts'
import { createPen } from './pen.ts'
import type { Report, ReportCheck } from './schema.ts'
import { SECTIONS, plural, sectionOf } from './words.ts'

const WORDS = { 0: 'passes', 1: 'fails', 2: 'has no verdict', 3: 'is incomplete' } as const

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #cf222e; --open: #9a6700 }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --bad: #f85149; --open: #d29922 } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
details { border-top: 1px solid var(--line); padding: .35rem 0 } details details { margin-left: 1.2rem }
summary { cursor: pointer } .id { font-weight: 600 } .dim { opacity: .7 }
.o { display: inline-block; min-width: 7.5rem; font-size: .85rem }
.pass { color: var(--good) } .fail, .error { color: var(--bad); font-weight: 600 }
.warn, .inconclusive { color: var(--open) } .not-applicable { opacity: .6 }
pre { overflow-x: auto; background: #8881; padding: .6rem; border-radius: 4px; font-size: .85rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem } dd { margin: 0; overflow-wrap: anywhere }
`

export function renderHtml(report: Report): string {
  const { target, coverage } = report
  const title = `${target.baseUrl} ${WORDS[report.exitCode]}`
  const refused = target.capabilities.filter(({ offered }) => !offered).map(({ name }) => name)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${html(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Touchstone: ${html(title)}</h1>
<p><strong>${coverage.judged} of ${coverage.applicable} MUST judged.</strong>
${Object.entries(report.totals)
  .filter(([, count]) => count > 0)
  .map(([outcome, count]) => `<span class="${outcome}">${count} ${outcome}</span>`)
  .join(' · ')}</p>
<p class="dim">Profile ${target.profile}, model ${html(target.model)}, seed ${report.seed}, ${report.startedAt},
${plural(report.requests, 'request')} in ${(report.durationMs / 1000).toFixed(1)} s.</p>
${refused.length === 0 ? '' : `<p>Not offered by the target: ${html(refused.join(', '))}.</p>`}
${SECTIONS.map(({ name }) => renderSection(name, report)).join('')}
${coverage.notCovered.length === 0 ? '' : `<h2>Not covered by a case yet</h2><p>${coverage.notCovered.join(', ')}</p>`}
</body>
</html>
`
}

function renderSection(name: string, report: Report): string {
  const rows = report.requirements.filter(({ id }) => sectionOf(id) === name)
  return rows.length === 0
    ? ''
    : `<h2>${name}</h2>\n${rows.map((row) => renderRow(row, report)).join('\n')}\n`
}

function renderRow({ id, level, outcome }: Report['requirements'][number], report: Report): string {
  const own = report.checks.filter((check) => check.requirement === id)
  const text = isRequirementId(id) ? requirement(id).text : ''
  const open = outcome === 'fail' || outcome === 'error' ? ' open' : ''
  return `<details id="${id}"${open}><summary><span class="o ${outcome}">${outcome}</span>
<span class="id">${id}</span> <span class="dim">${level}, ${plural(own.length, 'check')}</span> ${prose(text)}</summary>
${own.map(renderCheck).join('\n')}</details>`
}

function renderCheck(check: ReportCheck): string {
  const pen = createPen({ color: false, columns: 110 })
  const exchange = check.exchanges.at(-1)
  const rows = [
    ['expected', check.expected],
    ['actual', check.actual],
    ['reason', check.expected === undefined ? check.reason : undefined],
    ['baseline', check.baseline],
    ['again', check.rerun],
    ['or', check.reproduce],
  ].filter((row): row is [string, string] => row[1] !== undefined)
  const open = check.outcome === 'fail' || check.outcome === 'error' ? ' open' : ''
  const list = rows.map(([name, value]) => `<dt>${name}</dt><dd>${html(value)}</dd>`).join('')
  const evidence =
    exchange === undefined ? '' : `<pre>${html(renderExchange(exchange, pen).join('\n'))}</pre>`
  return `<details${open}><summary><span class="o ${check.outcome}">${check.outcome}</span>
${html(check.title)} <code class="dim">${html(check.id)}</code></summary>
${list === '' ? '' : `<dl>${list}</dl>`}${evidence}</details>`
}

/** Text of the catalogue, its code marks as code. */
function prose(text: string): string {
  return html(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function html(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(/[^\P{Cc}\n]/gu, '\uFFFD')
}
