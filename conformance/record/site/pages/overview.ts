// The first screen of the front page: how much is judged, the tiers of each server, the causes that most implementations
// share, and the pairs.
import { renderGroupedTable } from '../../../../harness/html/grouped-table.ts'
import { type Markup, markup, prose } from '../../../../harness/html/markup.ts'
import { TIERS } from '../../../../spec/catalogue/section.ts'
import type { TierCounts } from '../../../contract/verdict.ts'
import { TIER_NAMES, holdOf, plural } from '../../../report/labels.ts'
import { type Kind, kinds } from '../../results/result-entry.ts'
import { CHECKS } from '../../results/check-index.ts'
import { PAIRS, REQUIREMENTS, subjectAddress } from '../addresses.ts'
import type { Board, Judged, PublicRecord } from '../boards.ts'
import { failuresOf, rowsOf } from './failures.ts'
import { KIND_NAMES, boardTitle, requirementLink, staleNote } from './parts.ts'
import { sideLink, sidesOf } from './pairs/pair-matrix.ts'
import { usesLine } from './pairs/verdicts.ts'

/** The most causes, and the most requirements of each, that the overview names. */
const CAUSES = 6
const ROWS_OF_CAUSE = 3

export function renderOverview(record: PublicRecord, boards: readonly Board[]): Markup {
  const causes = commonCauses(boards).slice(0, CAUSES)
  return markup`${renderStats(record, boards)}
<div class="overview">${boards.filter(({ newest }) => newest.some(({ tiers }) => tiers !== undefined)).map(renderTiers)}
<div>${
    causes.length > 0 &&
    markup`<section class="card"><h2>The most common causes of failures</h2>
<ul class="common">${causes.map(renderCause)}</ul></section>`
  }
${record.pairs.length > 0 && renderPairSummary(record)}</div></div>`
}

function renderStats({ subjects, newestResult }: PublicRecord, boards: readonly Board[]): Markup {
  const rows = new Set([...CHECKS.values()].map(({ requirement }) => requirement))
  return markup`<ul class="stats">${kinds.map((kind) => count(kind, subjects.filter((subject) => subject.kind === kind).length))}
<li><b>${CHECKS.size}</b> checks of <a href="${REQUIREMENTS}"><b>${rows.size}</b> requirements</a></li>
${boards[0] && markup`<li>catalogue <b>${boards[0].catalogue}</b></li>`}
<li>newest result <b><time datetime="${newestResult}">${newestResult}</time></b></li></ul>`
}

function count(kind: Kind, implementations: number): Markup | false {
  return (
    implementations > 0 &&
    markup`<li><b>${implementations}</b> ${KIND_NAMES[kind](implementations)}</li>
`
  )
}

function renderTiers(board: Board): Markup {
  const rows = board.newest.map(({ entry, about, stale, tiers }) => {
    return markup`<tr><th scope="row"><a href="${subjectAddress(entry)}">${about.title}</a> <span class="small quiet">${entry.version}</span>${staleNote(stale)}</th>${TIERS.map((tier) => markup`<td>${tiers && bar(tiers[tier])}</td>`)}</tr>
`
  })
  const headings = ['Requirements that hold', ...TIERS.map((tier) => TIER_NAMES[tier])]
  return renderGroupedTable(`Tiers: ${boardTitle(board)}`, 'tiers', headings, [{ rows }])
}

function bar(counts: TierCounts[keyof TierCounts]): Markup {
  const { hold, judged } = counts
  return markup`<span class="tier">${holdOf(counts)}<svg class="strip${judged > hold && ' fail'}" viewBox="0 0 ${Math.max(1, judged)} 1" preserveAspectRatio="none" aria-hidden="true"><rect class="pass" width="${hold}" height="1"/></svg></span>`
}

/** The causes that several implementations of a kind share by their names, the most frequent first. */
export function commonCauses(boards: readonly Board[]) {
  const failures = boards.flatMap(({ kind, newest }) =>
    newest.flatMap((judged) =>
      [...failuresOf(judged)].flatMap(([name, checks]) => {
        const cause = Object.hasOwn(judged.about.causes, name) ? judged.about.causes[name] : undefined
        return cause === undefined ? [] : [{ key: `${kind} ${name}`, kind, judged, cause, checks }]
      }),
    ),
  )
  return [...Map.groupBy(failures, ({ key }) => key).values()]
    .map((own) => ({
      kind: own[0]?.kind ?? 'server',
      implementations: namesOf(own.map(({ judged }) => judged)).size,
      all: namesOf(boards.filter(({ kind }) => kind === own[0]?.kind).flatMap(({ newest }) => newest)).size,
      text: mostFrequent(own.map(({ cause }) => cause.cause)),
      checks: own.reduce((sum, { checks }) => sum + checks.length, 0),
      rows: rowsOf(own.flatMap(({ checks }) => checks)),
    }))
    .filter(({ implementations }) => implementations > 1)
    .toSorted((a, b) => b.implementations - a.implementations || b.checks - a.checks)
}

/** The first of the most frequent sentences. */
function mostFrequent(sentences: readonly string[]): string {
  const groups = [...Map.groupBy(sentences, (sentence) => sentence).values()]
  return groups.toSorted((a, b) => b.length - a.length)[0]?.[0] ?? ''
}

const namesOf = (judged: readonly Judged[]): ReadonlySet<string> =>
  new Set(judged.map(({ entry }) => entry.name))

function renderCause({ kind, implementations, all, text, rows }: ReturnType<typeof commonCauses>[number]) {
  const more = rows.length - ROWS_OF_CAUSE
  return markup`<li><b>${implementations} of ${all} ${KIND_NAMES[kind](all)}</b> <span>${prose(text)} <span class="small">${rows.slice(0, ROWS_OF_CAUSE).map((row) => markup`${requirementLink(row)} `)}${more > 0 && markup`<span class="quiet">and ${more} more</span>`}</span></span></li>
`
}

function renderPairSummary({ pairs, subjects }: PublicRecord): Markup {
  const servers = sidesOf(pairs, 'server').map((side) => {
    return {
      link: sideLink(side, 'server', subjects),
      own: pairs.filter(({ server }) => server.name === side.name),
    }
  })
  return markup`<section class="card"><h2>Clients with servers</h2>
<ul class="common">${servers.map(({ link, own }) => markup`<li><b>${link}</b> <span>${plural(own.length, 'client')}: ${usesLine(own)} work</span></li>`)}</ul>
<p class="small"><a href="${PAIRS}">Every pair</a></p></section>`
}
