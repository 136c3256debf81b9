// A table of requirements by entries: the rows of a board, and a column for each entry.
import { type Markup, markup } from '../../../../harness/html/markup.ts'
import { bySection } from '../../../report/labels.ts'
import { splitText } from '../../../cli/explain.ts'
import { entryAddress } from '../addresses.ts'
import { MARKS, sign } from '../marks.ts'
import { type Board, type Judged, outcomeOf } from '../record.ts'
import { requirementLink, ruleOf } from './parts.ts'

/** One column. `isOlder` hides it until it is chosen. */
export interface Column {
  readonly judged: Judged
  readonly heading: Markup
  readonly isOlder?: boolean
}

/** The table; its rows can be filtered by group, by outcome and by the chosen columns. */
export function renderGrid({ rows }: Pick<Board, 'rows'>, columns: readonly Column[], label: string): Markup {
  const old = (column: Column) => column.isOlder === true && markup` class="older"`
  return markup`<div class="scroll tall" role="region" aria-label="${label}" tabindex="0"><table class="grid">
<thead><tr><th scope="col">Requirement</th>${columns.map((column) => markup`<th scope="col"${old(column)}><span>${column.heading}</span></th>`)}</tr></thead>
${bySection(rows).map(
  ({ prefix, name, rows: own }) => markup`<tbody id="${prefix}" data-group="${prefix}">
<tr class="section"><th scope="rowgroup" colspan="${columns.length + 1}"><span>${name} <span class="quiet">${prefix}</span></span></th></tr>
${own.map((row) => renderRow(row, columns))}</tbody>
`,
)}</table></div>`
}

function renderRow(row: Board['rows'][number], columns: readonly Column[]): Markup {
  const [rule] = splitText(row.text)
  const cells = columns.map(({ judged, isOlder }) => {
    const mark = MARKS[outcomeOf(judged, row.id)]
    const isPlain = mark.css === 'p' || mark.css === 'n'
    const content = isPlain
      ? sign(mark)
      : markup`<a href="${entryAddress(judged)}#${row.id}">${sign(mark)}</a>`
    return markup`<td class="${mark.css}${isOlder === true && ' older'}">${content}</td>`
  })
  return markup`<tr data-row><th scope="row"><span class="item">${requirementLink(row.id)} <span class="rule">${ruleOf({ ...row, text: rule })}</span></span></th>${cells}</tr>
`
}
