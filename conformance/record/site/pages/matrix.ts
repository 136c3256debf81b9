// A matrix of the front page: implementations by groups of requirements. A row unfolds to the numbers of its requirements
// without a script. The requirements of a board with one group are columns themselves.
import { type Group, type Heading, renderGroupedTable } from '../../../../harness/html/grouped-table.ts'
import { type Markup, markup } from '../../../../harness/html/markup.ts'
import { bySection, plural } from '../../../report/labels.ts'
import { boardAddress, entryAddress, requirementAddress, subjectAddress } from '../addresses.ts'
import { DISTINCT_MARKS, MARKS, isFailed, countMarks } from '../marks.ts'
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
  const groups = newest.map((judged) => renderImplementation(judged, columns, profile))
  return markup`<section class="board" data-kind="${kind}" data-profile="${profile}">
<h2>${BOARD_TITLES[kind]}${kind !== profile && markup` <span class="quiet">profile ${profile}</span>`}</h2>
<p class="small quiet">${PROFILES[profile]}: ${plural(rows.length, 'requirement')}. <a href="${boardAddress(board)}">Every requirement, side by side</a></p>
${renderGroupedTable(boardTitle(board), style, ['Name', ...headings], groups)}
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

function renderImplementation(judged: Judged, columns: readonly Column[], profile: string): Group {
  const { entry, about, stale } = judged
  const box = `open-${entry.name}-${profile}`
  const unfolds = columns.some(({ isRow }) => !isRow)
  const summary = markup`<tr><th scope="row">${unfolds && markup`<input class="fold" type="checkbox" id="${box}" aria-label="Show the requirements of ${about.title}">`}<span><a href="${subjectAddress(entry)}">${about.title}</a> <span class="small quiet">${entry.version}</span>${staleNote(stale)}</span></th>${columns.map((column) => renderSummary(judged, column))}</tr>
`
  const numbers = markup`<tr class="more"><td class="small quiet"><a href="${entryAddress(judged)}">Failures</a> by number</td>${columns.map((column) => renderNumbers(judged, column))}</tr>
`
  return { attributes: markup`data-row`, rows: unfolds ? [summary, numbers] : [summary] }
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

/** The numbers of the rows that do not hold: with those of every mark, the page would be heavy. */
function renderNumbers(judged: Judged, { label, rows }: Column): Markup {
  const byMark = Map.groupBy(rows, ({ id }) => MARKS[outcomeOf(judged, id)])
  const failed = DISTINCT_MARKS.filter((mark) => isFailed(mark) && byMark.has(mark))
  if (failed.length === 0) return markup`<td></td>`
  return markup`<td data-label="${label}">${failed.map((mark) => {
    const numbers = rangesOf((byMark.get(mark) ?? []).map(({ id }) => Number(id.split('-')[1]))).join(', ')
    return markup`<div class="${mark.kind}">${mark.sign}<i>${mark.label}</i> ${numbers}</div>`
  })}</td>`
}

/** `1–4, 6` for 1, 2, 3, 4, 6. */
function rangesOf(numbers: readonly number[]): readonly string[] {
  const runs: number[][] = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run !== undefined && run.at(-1) === number - 1) run.push(number)
    else runs.push([number])
  }
  return runs.map((run) => (run.length < 3 ? run.join(', ') : `${run[0]}–${run.at(-1)}`))
}
