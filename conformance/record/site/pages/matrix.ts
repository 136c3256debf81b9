// A matrix of the front page: implementations by groups of requirements. A row unfolds to the numbers of its requirements
// without a script. The requirements of a board with one group are columns themselves.
import { type Markup, markup } from '../../../../harness/html/markup.ts'
import { bySection, plural } from '../../../report/labels.ts'
import { boardAddress, entryAddress, requirementAddress, subjectAddress } from '../addresses.ts'
import { DISTINCT_MARKS, MARKS, countMarks } from '../marks.ts'
import { type Board, type Judged, outcomeOf } from '../record.ts'
import { BOARD_TITLES, PROFILES, staleNote } from './parts.ts'

/** With more columns than this, a heading has no room for the name of its group. */
const MANY_COLUMNS = 8

type Column = ReturnType<typeof columnsOf>[number]

export function renderMatrix(board: Board): Markup {
  const { kind, profile, rows, newest } = board
  const columns = columnsOf(board)
  const id = `${kind}-${profile}`
  return markup`<section class="board" data-kind="${kind}" data-profile="${profile}">
<h2 id="${id}">${BOARD_TITLES[kind]}${kind !== profile && markup` <span class="quiet">profile ${profile}</span>`}</h2>
<p class="small quiet">${PROFILES[profile]}: ${plural(rows.length, 'requirement')}. <a href="${boardAddress(board)}">Every requirement, side by side</a></p>
<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0">
<table class="front${columns.length > MANY_COLUMNS && markup` many`}">
<thead><tr><th scope="col">Name</th>${columns.map(({ group, heading }) => markup`<th scope="col" data-group="${group}">${heading}</th>`)}</tr></thead>
${newest.map((judged) => renderImplementation(judged, columns, profile))}
</table></div>
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
      heading: markup`<a href="${requirementAddress(row.id)}"><span class="id">${row.id}</span></a>`,
      rows: [row],
      isRow: true,
    }))
  return groups.map(({ prefix, name, rows }) => ({
    group: prefix,
    heading: markup`<a href="${boardAddress(board)}#${prefix}"><span class="id">${prefix}</span> <span class="name">${name}</span></a>`,
    rows,
    isRow: false,
  }))
}

function renderImplementation(judged: Judged, columns: readonly Column[], profile: string): Markup {
  const { entry, about, stale } = judged
  const box = `open-${entry.name}-${profile}`
  const unfolds = columns.some(({ isRow }) => !isRow)
  return markup`<tbody data-row>
<tr><th scope="row">${unfolds && markup`<input class="fold" type="checkbox" id="${box}" aria-label="Show the requirements of ${about.title}">`}<span><a href="${subjectAddress(entry)}">${about.title}</a> <span class="small quiet">${entry.version}</span>${staleNote(stale)}</span></th>${columns.map((column) => renderSummary(judged, column))}</tr>
${unfolds && markup`<tr class="more"><td class="small quiet">by number</td>${columns.map((column) => renderNumbers(judged, column))}</tr>`}
</tbody>
`
}

/** The mark of a requirement; the marks of a group that are not a pass, with the number of rows, or else a pass. */
function renderSummary(judged: Judged, { rows, isRow }: Column): Markup {
  const counts = countMarks(rows.map(({ id }) => outcomeOf(judged, id)))
  const others = counts.filter(({ mark }) => mark.css !== 'p')
  const shown = others.every(({ mark }) => mark.css === 'n') ? counts.toReversed() : others
  return markup`<td class="${counts.map(({ mark }) => mark.css).join(' ')}">${shown.map(
    ({ mark, count }) =>
      markup`<b class="${mark.css}">${mark.sign}${!isRow && mark.css !== 'p' && `\u2009${count}`}<i>${mark.label}</i></b> `,
  )}</td>`
}

/** The numbers of the rows with each mark. Those that do not hold lead to their failures. */
function renderNumbers(judged: Judged, { group, rows }: Column): Markup {
  const byMark = Map.groupBy(rows, ({ id }) => MARKS[outcomeOf(judged, id)])
  return markup`<td>${DISTINCT_MARKS.flatMap((mark) => {
    const own = byMark.get(mark) ?? []
    if (own.length === 0) return []
    const numbers = rangesOf(own.map(({ id }) => Number(id.split('-')[1]))).join(', ')
    const linked = mark.css === 'f' || mark.css === 'w'
    return [
      markup`<div class="${mark.css}">${mark.sign}<i>${mark.label}</i> ${linked ? markup`<a href="${entryAddress(judged)}#${group}">${numbers}</a>` : numbers}</div>`,
    ]
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
