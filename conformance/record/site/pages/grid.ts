// A table of requirements by entries: the rows of a board, and a column for each entry.
import { type Heading, renderGroupedTable } from '../../../../harness/html/grouped-table.ts'
import { type Markup, markup } from '../../../../harness/html/markup.ts'
import { bySection } from '../../../report/labels.ts'
import { splitText } from '../../../report/example.ts'
import { MARKS, sign } from '../marks.ts'
import { type Board, type Judged, outcomeOf } from '../boards.ts'
import { requirementLink, ruleOf } from './parts.ts'

/** One column; `address` is the page of its entry, if it has one. `isOlder` hides it until it is chosen. */
interface Column {
  readonly rows: Judged['rows']
  readonly address?: string
  readonly heading: Markup
  readonly isOlder?: boolean
}

/** The table; its rows can be filtered by group, by outcome and by the chosen columns. */
export function renderGrid({ rows }: Pick<Board, 'rows'>, columns: readonly Column[], label: string): Markup {
  const headings = columns.map(({ heading, isOlder }): Heading => {
    return [markup`<span>${heading}</span>`, isOlder === true && markup`class="older"`]
  })
  const groups = bySection(rows).map(({ prefix, name, rows: own }) => ({
    attributes: markup`id="${prefix}" data-group="${prefix}"`,
    title: markup`${name} <span class="quiet">${prefix}</span>`,
    rows: own.map((row) => renderRow(row, columns)),
  }))
  return renderGroupedTable(label, 'grid tall', ['Requirement', ...headings], groups)
}

function renderRow(row: Board['rows'][number], columns: readonly Column[]): Markup {
  const [rule] = splitText(row.text)
  const cells = columns.map(({ rows, address, isOlder }) => {
    const mark = MARKS[outcomeOf({ rows }, row.id)]
    const isPlain = mark.kind === 'pass' || mark.kind === 'not-applicable'
    const content =
      isPlain || address === undefined ? sign(mark) : markup`<a href="${address}#${row.id}">${sign(mark)}</a>`
    return markup`<td class="${mark.kind}${isOlder === true && ' older'}">${content}</td>`
  })
  return markup`<tr data-row><th scope="row"><span class="item">${requirementLink(row.id)} <span class="rule">${ruleOf({ ...row, text: rule })}</span></span></th>${cells}</tr>
`
}
