// The comparison of the newest entries of two implementations: the requirements that differ, with the cause on each side,
// and the checks that differ.
import { renderGroupedTable } from '../../../../harness/html/grouped-table.ts'
import { type Markup, markup, prose } from '../../../../harness/html/markup.ts'
import { splitText } from '../../../report/example.ts'
import { bySection, plural } from '../../../report/labels.ts'
import { boardAddress, entryAddress } from '../addresses.ts'
import { type Change, changesBetween } from '../changes.ts'
import { MARKS, markOf, plate, sign } from '../marks.ts'
import { type Board, type Judged, outcomeOf } from '../boards.ts'
import { idOf } from './board.ts'
import { causesOf } from './failures.ts'
import { boardTitle, checkName, counts, nameOf, requirementLink, ruleOf } from './parts.ts'

export function pairsOf({ newest }: Board): readonly (readonly [Judged, Judged])[] {
  return newest.flatMap((one, at) => newest.slice(at + 1).map((other) => [one, other] as const))
}

export function comparisonTitle([one, other]: readonly [Judged, Judged]): string {
  return `${one.about.title} and ${other.about.title}`
}

export function renderComparison(pair: readonly [Judged, Judged], board: Board): Markup {
  const changes = Map.groupBy(changesBetween(...pair), ({ requirement }) => requirement)
  const differing = board.rows.filter(({ id }) => outcomeOf(pair[0], id) !== outcomeOf(pair[1], id))
  const within = board.rows.filter((row) => changes.has(row.id) && !differing.includes(row))
  const inMatrix = `${boardAddress(board)}?entries=${encodeURIComponent(idOf(pair[0]))}&entries=${encodeURIComponent(idOf(pair[1]))}`
  const headings = pair.map(({ about, entry }) => {
    return markup`${about.title} <span class="version">${entry.version}</span>`
  })
  const groups = bySection(differing).map(({ name: title, rows }) => {
    return { title, rows: rows.map((row) => renderRow(row, pair, changes.get(row.id) ?? [])) }
  })
  return markup`<p class="small quiet">${boardTitle(board)}</p>
<h1>${comparisonTitle(pair)}</h1>
<div class="sides">${pair.map((judged) => renderSide(judged, board))}</div>
<h2>${differing.length === 0 ? 'No requirement differs' : `${plural(differing.length, 'requirement')} ${differing.length === 1 ? 'differs' : 'differ'}`}</h2>
${renderGroupedTable('Requirements that differ', 'pair cards', ['Requirement', ...headings], groups)}
${
  within.length > 0 &&
  markup`<h2>Same outcome, different checks</h2>
<p class="small quiet">These ${plural(within.length, 'requirement')} ended the same way on both sides, by different checks.</p>
${within.map(({ id, text }) => {
  return markup`<details class="row"><summary><b class="id">${id}</b> <span class="rule">${prose(splitText(text)[0])}</span></summary>${renderChecks(changes.get(id) ?? [], pair)}</details>
`
})}`
}
<p class="small"><a href="${inMatrix}">All requirements, side by side</a>. Other versions can be chosen there.</p>`
}

function renderSide(judged: Judged, board: Board): Markup {
  const { entry } = judged
  return markup`<section class="card"><h2>${nameOf(judged)}</h2>
<p>${counts(judged, board)}</p>
<p class="small quiet">Judged on <time datetime="${entry.date}">${entry.date}</time>. Model: ${prose(entry.model ?? 'none named')}.</p></section>`
}

function renderRow(row: Board['rows'][number], pair: readonly Judged[], changes: readonly Change[]): Markup {
  const [rule] = splitText(row.text)
  return markup`<tr><th scope="row">${requirementLink(row.id)} <span class="rule">${ruleOf({ ...row, text: rule })}</span>${renderFolded(changes, pair)}</th>${pair.map(
    (judged) =>
      markup`<td data-label="${judged.about.title} ${judged.entry.version}"><a href="${entryAddress(judged)}#${row.id}">${plate(MARKS[outcomeOf(judged, row.id)])}</a>${causesOf(judged, row.id).map(({ cause }) => markup`<p class="small">${prose(cause)}</p>`)}</td>`,
  )}</tr>
`
}

function renderFolded(changes: readonly Change[], pair: readonly Judged[]): Markup | undefined {
  if (changes.length === 0) return undefined
  return markup`<details class="small"><summary>${plural(changes.length, 'check differs', 'checks differ')}</summary>${renderChecks(changes, pair)}</details>`
}

function renderChecks(changes: readonly Change[], pair: readonly Judged[]): Markup {
  return markup`<ul class="checks">${changes.map(
    ({ check }) =>
      markup`<li>${pair.map((judged) => sign(markOf(judged.entry.checks[check])))} ${checkName(check)}</li>`,
  )}</ul>`
}
