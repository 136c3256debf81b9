// The report as one page that loads nothing: the verdict, the target, the failures with their evidence, then every
// requirement by section. Filters work without a script; the search needs one.
import { renderCheck, renderFinding } from './checks.ts'
import { type RequirementRow, rowsOf } from './rows.ts'
import { HTML_STYLE } from './report-style.ts'
import { renderWhatToFix } from './findings-card.ts'
import { renderTarget, when } from './target-card.ts'
import { TIMELINE_STYLE } from './timeline.ts'
import { renderVerdict } from './verdict-card.ts'
import { type Markup, markup, prose } from '../../../harness/html/markup.ts'
import { STYLES, type Shown, VERDICTS, plate } from '../outcome-style.ts'
import { renderPage } from '../../../harness/html/page.ts'
import {
  type ShowingChoices,
  type Filter,
  filterRules,
  renderFilter,
  tagged,
} from '../../../harness/html/page-filters.ts'
import type { Report } from '../../contract/report.ts'
import { tierOf } from '../../../spec/catalogue/requirements.ts'
import { bySection, plural, sourceOf, subjectOf, tally, textOf } from '../labels.ts'
import { renderSearch, sectionFilter, sectionPrefix } from './section-filter.ts'

/** The groups at the top of the page, and their names in the filter. */
const GROUPS = [
  { kind: 'fail', title: 'Does not hold', outcomes: ['error', 'fail'] },
  { kind: 'warn', title: 'Warned', outcomes: ['warn'] },
  { kind: 'open', title: 'Not judged', outcomes: ['inconclusive', 'not-covered'] },
] as const

/** The number of checks of a requirement that are shown with their evidence before the others are folded. */
const SHOWN_FINDINGS = 2

/** The page of a report. Everything that a server sent is shown as text. */
export function renderHtml(report: Report): string {
  const rows = rowsOf(report)
  const filters = filtersOf(rows)
  return renderPage({
    title: `${subjectOf(report)} ${VERDICTS[report.exitCode].phrase}`,
    style: HTML_STYLE + TIMELINE_STYLE + filterRules(filters),
    aside: markup`<time datetime="${report.startedAt}">${when(report.startedAt)}</time>`,
    content: markup`<div class="top">
${renderVerdict(report, rows)}
${renderTarget(report)}
</div>
${renderWhatToFix(report)}
<div class="columns">
<div class="controls">
${renderSearch('Search requirements, checks and exchanges')}
${filters.map((filter) => renderFilter(filter, rows.length))}
<p class="actions" data-scripted hidden><button class="button" type="button" data-fold="open">Unfold all</button> <button class="button" type="button" data-fold="closed">Fold all</button></p>
<p class="small quiet" role="status" data-status></p>
</div>
<div class="rows" ${tagged(rows.map(answersOf))}>
<p class="nothing card" data-nothing>No requirement matches.</p>
${GROUPS.map(({ title, outcomes }) => renderGroup(title, rowsWith(rows, outcomes), answersOf, renderRow))}
${bySection(rows).map(({ name, rows: own }) => renderGroup(name, own, answersInSection, renderInSection))}
</div>
</div>`,
  })
}

function rowsWith(rows: readonly RequirementRow[], outcomes: readonly Shown[]): readonly RequirementRow[] {
  return rows.filter(({ outcome }) => outcomes.includes(outcome))
}

function kindOf(outcome: Shown): string {
  return GROUPS.find(({ outcomes }) => outcomes.some((one) => one === outcome))?.kind ?? outcome
}

function filtersOf(rows: readonly RequirementRow[]): readonly Filter[] {
  const outcome = (value: string, sign: string, label: string): Filter['choices'][number] => ({
    value,
    label: markup`<span><span class="sign ${value}" aria-hidden="true">${sign}</span> ${label}</span>`,
    count: rows.filter((row) => kindOf(row.outcome) === value).length,
  })
  return [
    {
      name: 'outcome',
      legend: 'Outcome',
      choices: [
        outcome('fail', STYLES.fail.sign, 'Failed'),
        outcome('warn', STYLES.warn.sign, 'Warned'),
        outcome('open', STYLES.inconclusive.sign, 'Not judged'),
        outcome('not-applicable', STYLES['not-applicable'].sign, 'Not applicable'),
        outcome('pass', STYLES.pass.sign, 'Passed'),
      ],
    },
    sectionFilter(rows),
  ]
}

function renderGroup(
  title: string,
  rows: readonly RequirementRow[],
  answers: (row: RequirementRow) => ShowingChoices,
  show: (row: RequirementRow) => Markup,
): Markup | undefined {
  if (rows.length === 0) return undefined
  return markup`<section class="group" data-group ${tagged(rows.map(answers))}>
<h2>${title} <span class="quiet">${rows.length}</span></h2>
${rows.map(show)}
</section>
`
}

/** Returns whether a row is in a group at the top; its section then only links to it. */
function isApart({ outcome }: RequirementRow): boolean {
  return GROUPS.some(({ outcomes }) => outcomes.some((one) => one === outcome))
}

function renderInSection(row: RequirementRow): Markup {
  return isApart(row)
    ? markup`<a class="row ref ${row.outcome}" href="#${row.id}" data-row="${row.id}" ${tagged([answersInSection(row)])}>${headOf(row)}</a>`
    : renderRow(row)
}

function renderRow(row: RequirementRow): Markup {
  const { id, outcome, checks } = row
  const holds = outcome === 'pass' || outcome === 'not-applicable'
  const apart = checks.filter((check) => !holds && !['pass', 'not-applicable'].includes(check.outcome))
  const rest = checks.filter((check) => !apart.includes(check))
  const shown = apart.slice(0, SHOWN_FINDINGS)
  const more = apart.slice(SHOWN_FINDINGS)
  const open = kindOf(outcome) === 'fail'
  return markup`<details class="row ${outcome}" id="${id}" data-row="${id}" ${tagged([answersOf(row)])}${open && markup` open`}>
<summary>${headOf(row)}</summary>
<blockquote>${prose(textOf(id))} <footer class="small quiet">${id}, ${placeOf(id)}</footer></blockquote>
${checks.length === 0 && markup`<p>No check stands for this requirement yet: nothing is known of it.</p>`}
${shown.map(renderFinding)}
${more.length > 0 && markup`<details class="rest"><summary>${plural(more.length, 'further check')} that ${more.length === 1 ? 'does' : 'do'} not hold</summary>${more.map(renderFinding)}</details>`}
${apart.length > 0 && rest.length > 0 ? markup`<details class="rest"><summary>${plural(rest.length, 'further check')}, none of them red</summary>${rest.map(renderCheck)}</details>` : rest.map(renderCheck)}
</details>
`
}

function answersOf({ id, outcome }: RequirementRow): ShowingChoices {
  return { outcome: [kindOf(outcome)], section: [sectionPrefix(id)] }
}

/** A row that is in a group at the top answers a filter by outcome only there. */
function answersInSection(row: RequirementRow): ShowingChoices {
  return isApart(row) ? { section: [sectionPrefix(row.id)] } : answersOf(row)
}

function headOf({ id, level, outcome, checks }: RequirementRow): Markup {
  return markup`${plate(outcome)} <b class="id">${id}</b> <span class="level quiet small">${level} ${tierOf(id)}</span> <span class="text">${prose(textOf(id))}</span> <span class="tally quiet small">${tally(outcome, checks)}</span>`
}

function placeOf(id: string): string {
  const source = sourceOf(id)
  return /^[a-z]/.test(source) ? source : `section “${source}” of the specification`
}
