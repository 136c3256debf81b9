// A matrix of the front page: implementations by groups of requirements. The requirements of a board with one group are columns
// themselves.
import { type Heading, renderGroupedTable } from '../../../../harness/html/grouped-table.ts'
import { type Markup, markup } from '../../../../harness/html/markup.ts'
import { bySection, plural } from '../../../report/labels.ts'
import { boardAddress, requirementAddress, subjectAddress } from '../addresses.ts'
import { countMarks } from '../marks.ts'
import { type Board, type Judged, outcomeOf } from '../boards.ts'
import { BOARD_TITLES, PROFILES, boardTitle, staleNote } from './parts.ts'

/** The most columns whose headings have room for the names of their groups. */
const MANY_COLUMNS = 8

type Column = ReturnType<typeof columnsOf>[number]

export function renderMatrix(board: Board): Markup {
  const { kind, profile, rows, newest } = board
  const columns = columnsOf(board)
  const style = columns.length > MANY_COLUMNS ? 'front cards many' : 'front cards'
  const headings = columns.map(({ group, heading }): Heading => [heading, markup`data-group="${group}"`])
  const implementations = newest.map((judged) => renderImplementation(judged, columns))
  return markup`<section class="board" data-kind="${kind}" data-profile="${profile}">
<h2>${BOARD_TITLES[kind]}${kind !== profile && markup` <span class="quiet">profile ${profile}</span>`}</h2>
<p class="small quiet">${PROFILES[profile]}: ${plural(rows.length, 'requirement')}. <a href="${boardAddress(board)}">Every requirement, side by side</a></p>
${renderGroupedTable(boardTitle(board), style, ['Name', ...headings], [{ rows: implementations }])}
</section>
`
}

/** A column for each group of requirements, or for each requirement (`isRow`). */
function columnsOf(board: Board) {
  const groups = bySection(board.rows)
  const [only, ...others] = groups
  if (only !== undefined && others.length === 0)
    return only.rows.map((row) => ({
      group: only.prefix,
      label: row.id,
      heading: markup`<a href="${requirementAddress(row.id)}"><span class="id">${row.id}</span></a>`,
      rows: [row],
      isRow: true,
    }))
  return groups.map(({ prefix, name, rows }) => ({
    group: prefix,
    label: prefix,
    heading: markup`<a href="${boardAddress(board)}#${prefix}"><span class="id">${prefix}</span> <span class="name">${name}</span></a>`,
    rows,
    isRow: false,
  }))
}

function renderImplementation(judged: Judged, columns: readonly Column[]): Markup {
  const { entry, about, stale } = judged
  return markup`<tr data-row><th scope="row"><a href="${subjectAddress(entry)}">${about.title}</a> <span class="small quiet">${entry.version}</span>${staleNote(stale)}</th>${columns.map((column) => renderSummary(judged, column))}</tr>
`
}

/** The mark of a requirement; the marks of a group that are not a pass, with the number of rows, or else a pass. */
function renderSummary(judged: Judged, { label, rows, isRow }: Column): Markup {
  const counts = countMarks(rows.map(({ id }) => outcomeOf(judged, id)))
  const others = counts.filter(({ mark }) => mark.kind !== 'pass')
  const shown = others.every(({ mark }) => mark.kind === 'not-applicable') ? counts.toReversed() : others
  return markup`<td class="${counts.map(({ mark }) => mark.kind).join(' ')}" data-label="${label}">${shown.map(
    ({ mark, count }) =>
      markup`<b class="${mark.kind}">${mark.sign}${!isRow && mark.kind !== 'pass' && `\u2009${count}`}<i>${mark.label}</i></b> `,
  )}</td>`
}
