// The target on the page: what was judged, the discovered facts and their sources, and the figures of the run.
import { type Markup, markup } from '../../../harness/html/markup.ts'
import type { Report } from '../../contract/report.ts'
import { judgedAs, plural, withOutcome } from '../labels.ts'

export function renderTarget(report: Report): Markup {
  const { target } = report
  const [offered, refused] = [true, false].map((wanted) =>
    target.capabilities.filter((capability) => capability.offered === wanted),
  )
  return markup`<section class="card target" aria-labelledby="target">
<h2 id="target">The target</h2>
<dl>
${target.command !== undefined && markup`<dt>Command</dt><dd><code>${target.command.join(' ')}</code></dd>`}
<dt>Address</dt><dd><code>${target.baseUrl}</code></dd>
<dt>Model</dt><dd><code>${target.model}</code></dd>
<dt>Judged as</dt><dd>${judgedAs(report)}</dd>
<dt>Judged</dt><dd><time datetime="${report.startedAt}">${when(report.startedAt)}</time>, ${plural(report.requests, 'request')} in ${(report.durationMs / 1000).toFixed(1)} s</dd>
<dt>Seed</dt><dd><code>${report.seed}</code>${report.subject === undefined && markup`, ${plural(report.runs, 'example')} for each property`}</dd>
<dt>Catalogue</dt><dd>version ${report.catalogueVersion}${report.catalogue?.notScored !== undefined && `, scored by the set ${report.catalogue.version}`}</dd>
${(report.catalogue?.notScored ?? []).length > 0 && markup`<dt>Not scored</dt><dd>${(report.catalogue?.notScored ?? []).map(withOutcome).join(', ')}</dd>`}
</dl>
${capabilities('Not offered', refused ?? [], 'refused')}
<details><summary>${target.capabilities.length === 0 ? 'Discovered' : `${plural(offered?.length ?? 0, 'capability', 'capabilities')} offered, and what else was discovered`}</summary>
${capabilities('Offered', offered ?? [], 'offered')}
${discovered(report)}
</details>
</section>`
}

type Capability = Report['target']['capabilities'][number]

function capabilities(title: string, list: readonly Capability[], kind: string): Markup | undefined {
  if (list.length === 0) return undefined
  const groups = [...Map.groupBy(list, ({ learned }) => learned)]
  return markup`<h3>${title}</h3>
<ul class="capabilities ${kind}">${groups.map(
    ([learned, own]) =>
      markup`<li>${own.map(({ name }) => markup`<code>${name}</code> `)}<span class="quiet small">${learned}</span></li>`,
  )}</ul>`
}

function discovered({ target }: Report): Markup | undefined {
  if (target.facts.length === 0) return undefined
  return markup`<h3>Discovered</h3>
<dl>${target.facts.map(
    ({ name, value, learned }) =>
      markup`<dt>${name}</dt><dd>${shown(value)} <span class="quiet small">${learned}</span></dd>`,
  )}</dl>`
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.map(shown).join(', ') : (JSON.stringify(value) ?? '')
}

/** `2026-11-20 10:00 UTC`. */
export function when(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
}
