// The page of a board: every requirement by every entry. Any two entries are compared by choosing their columns, in the
// page or in its address.
import { type Markup, markup } from '../../../../harness/html/markup.ts'
import { bySection, plural } from '../../../report/labels.ts'
import { entryAddress } from '../addresses.ts'
import type { Board, Judged } from '../boards.ts'
import { renderGrid } from './grid.ts'
import { PROFILES, boardTitle, renderFilters, staleNote } from './parts.ts'

export function renderBoardPage(board: Board): Markup {
  const { all, newest, rows, profile } = board
  const label = boardTitle(board)
  return markup`<h1>${label}</h1>
<p class="lead">${PROFILES[profile]}. ${plural(rows.length, 'requirement')}, ${plural(newest.length, 'implementation')}, ${plural(all.length, 'entry', 'entries')}. Without a choice the newest version of each is shown.</p>
<div class="pickable">
<details class="picks card"><summary>Choose the columns: any two versions, side by side</summary>
<div class="choices">${all.map(
    (judged, at) =>
      markup`<label><input type="checkbox" name="entries" value="${idOf(judged)}" id="c${at}" form="filters">${judged.about.title} ${judged.entry.version}</label>`,
  )}</div></details>
${renderFilters([
  { name: 'group', label: 'Group', choices: bySection(rows).map(({ prefix, name }) => [prefix, name]) },
  {
    name: 'show',
    label: 'Rows',
    choices: [
      ['f', 'with a failure'],
      ['q', 'with one not judged'],
      ['differ', 'that differ'],
    ],
  },
])}
${renderGrid(board, columns(board), label)}
</div>`
}

/** The value of an entry in the address of the page. */
export function idOf({ entry }: Judged): string {
  return `${entry.name}@${entry.version}`
}

function columns({ all, newest }: Board): Parameters<typeof renderGrid>[1] {
  return all.map((judged) => ({
    rows: judged.rows,
    address: entryAddress(judged),
    heading: markup`<a href="${entryAddress(judged)}">${judged.about.title} <span class="version">${judged.entry.version}</span></a>${staleNote(judged.stale)}`,
    isOlder: !newest.includes(judged),
  }))
}
