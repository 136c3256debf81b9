// The comparison as a page: a column for each report, a row for each requirement, a filter for differences, and the
// changes between two reports of one server.
import {
  type Change,
  type ComparedRow,
  type Comparison,
  countDiffering,
  differs,
  letterOf,
} from './comparison.ts'
import { COMPARISON_STYLE } from './comparison-style.ts'
import { when } from '../html/target-card.ts'
import { type Markup, markup, prose } from '../../../harness/html/markup.ts'
import { VERDICTS, plate } from '../outcome-style.ts'
import { renderGroupedTable } from '../../../harness/html/grouped-table.ts'
import { renderPage } from '../../../harness/html/page.ts'
import {
  type ShowingChoices,
  type Filter,
  filterRules,
  renderFilter,
  tagged,
} from '../../../harness/html/page-filters.ts'
import type { Report } from '../../contract/report.ts'
import { renderSearch, sectionFilter, sectionPrefix } from '../html/section-filter.ts'
import { bySection, judgedRows, plural, textOf, tierLine } from '../labels.ts'

/** The page of a comparison; `reports` are the compared reports, in their order. */
export function renderComparisonHtml(comparison: Comparison, reports: readonly Report[]): string {
  const { rows } = comparison
  const filters = filtersOf(rows)
  const hosts = reports.map(({ target: { baseUrl } }) => URL.parse(baseUrl)?.host ?? baseUrl)
  const headings = hosts.map((host, column) => markup`${letter(column)} <span class="host">${host}</span>`)
  const groups = bySection(rows).map(({ name: title, rows: own }) => {
    return { attributes: markup`data-group ${tagged(own.map(answersOf))}`, title, rows: own.map(renderRow) }
  })
  return renderPage({
    title: 'Comparison',
    style: COMPARISON_STYLE + filterRules(filters),
    aside: markup`${plural(reports.length, 'report')}`,
    content: markup`<h1>Side by side</h1>
<p class="lead">${countDiffering(rows)}</p>
<div class="servers">${reports.map((report, column) => renderServer(report, column, comparison.servers[column] ?? ''))}</div>
${renderChanges(comparison, reports)}
<div class="controls">
${renderSearch('Search requirements')}
${filters.map((filter) => renderFilter(filter, rows.length))}
<p class="small quiet" role="status" data-status></p>
</div>
<div class="rows" ${tagged(rows.map(answersOf))}>
<p class="nothing card" data-nothing>No requirement matches.</p>
${renderGroupedTable('Outcomes by requirement and report', 'reports tall', ['Requirement', ...headings], groups)}
</div>`,
  })
}

function renderServer(report: Report, column: number, name: string): Markup {
  const { sign, label, kind } = VERDICTS[report.exitCode]
  const { target } = report
  const tiers = tierLine(report.requirements)
  return markup`<section class="card server ${kind}" aria-label="${name}">
<h2>${letter(column)} <span class="label"><span aria-hidden="true">${sign}</span> ${label}</span></h2>
<p class="name">${name}</p>
<p class="small">${judgedRows(report).what}, profile ${target.profile}</p>
${tiers !== '' && markup`<p class="small">${tiers}</p>`}
<p class="small quiet"><time datetime="${report.startedAt}">${when(report.startedAt)}</time>, seed ${report.seed}</p>
</section>`
}

function letter(column: number): Markup {
  return markup`<span class="letter">${letterOf(column)}</span>`
}

/** Returns whether a row failed, warned or has no verdict in some report. */
function isWanting({ outcomes }: ComparedRow): boolean {
  return outcomes.some((outcome) => ['error', 'fail', 'warn', 'inconclusive'].includes(outcome))
}

function answersOf(row: ComparedRow): ShowingChoices {
  return {
    show: [...(differs(row) ? ['differs'] : []), ...(isWanting(row) ? ['wanting'] : [])],
    section: [sectionPrefix(row.id)],
  }
}

function filtersOf(rows: readonly ComparedRow[]): readonly Filter[] {
  return [
    {
      name: 'show',
      legend: 'Show',
      choices: [
        { value: 'differs', label: markup`≠ Differences`, count: rows.filter(differs).length },
        { value: 'wanting', label: markup`✗ Not passed by all`, count: rows.filter(isWanting).length },
      ],
    },
    sectionFilter(rows),
  ]
}

function renderRow(row: ComparedRow): Markup {
  const { id, level, outcomes } = row
  const mark =
    differs(row) &&
    markup`<span class="mark" aria-hidden="true">≠</span><span class="visually-hidden">differs</span>`
  const says = textOf(id)
  const text = says !== '' && markup`<span class="text small quiet">${prose(says)}</span>`
  return markup`<tr data-row="${id}"${differs(row) && markup` class="differs"`} ${tagged([answersOf(row)])}><th scope="row"><b>${id}</b> <span class="small quiet">${level}</span> ${mark}${text}</th>${outcomes.map((outcome) => markup`<td>${plate(outcome)}</td>`)}</tr>
`
}

/** The names of changes by their result; the first that fits. */
const TURNS: readonly (readonly [title: string, fits: (change: Change) => boolean])[] = [
  ['Broken', ({ to }) => to === 'fail' || to === 'error'],
  ['Fixed', ({ from, to }) => to === 'pass' && (from === 'fail' || from === 'error' || from === 'warn')],
  ['Judged now', ({ from }) => from === 'inconclusive'],
  ['No longer judged', ({ to }) => to === 'inconclusive'],
  ['Otherwise', () => true],
]

function renderChanges({ changes }: Comparison, reports: readonly Report[]): Markup | undefined {
  if (changes === undefined) return undefined
  const groups = Map.groupBy(changes, (change) => TURNS.findIndex(([, fits]) => fits(change)))
  return markup`<section class="card changes" aria-labelledby="changes">
<h2 id="changes">What changed from A to B</h2>
${changes.length === 0 && markup`<p>No check ended in another way.</p>`}
${TURNS.map(([title], at) => {
  const own = groups.get(at) ?? []
  return (
    own.length > 0 &&
    markup`<details${at === 0 && markup` open`}><summary>${title} <span class="quiet">${own.length}</span></summary><ul>${own.map((change) => renderChange(change, reports))}</ul></details>`
  )
})}
</section>`
}

function renderChange({ check, from, to }: Change, reports: readonly Report[]): Markup {
  const known = reports.toReversed().flatMap(({ checks }) => checks.filter(({ id }) => id === check))
  const title = known[0] && markup`<b>${known[0].requirement}</b> ${prose(known[0].title)} `
  const why = known[0]?.outcome === to && known[0]?.reason
  return markup`<li>${title}<code class="quiet">${check}</code><div class="turn">${plate(from)} <span aria-hidden="true">→</span><span class="visually-hidden">then</span> ${plate(to)}</div>${why && markup`<p class="small quiet">${why}</p>`}</li>`
}
