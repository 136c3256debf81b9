// The table of every page of results: it scrolls in a named region, and its rows may be in groups with a heading.
import { type Markup, markup } from './markup.ts'

type Text = Markup | string

/** The content of a `th`, or the content and the attributes. */
export type Heading = Text | readonly [content: Text, attributes: Markup | false]

export interface Group {
  readonly attributes?: Markup
  /** Shown above the rows. */
  readonly title?: Text
  /** A `tr` element each. */
  readonly rows: readonly Markup[]
}

/**
 * `name` is that of the region; `style` are the classes of the table. `tall` bounds its height; `cards` makes a card of each row
 * on a phone, and shows the `data-label` of each cell.
 */
export function renderGroupedTable(
  name: string,
  style: string,
  headings: readonly Heading[],
  groups: readonly Group[],
): Markup {
  const head = headings.map((heading) => {
    const [content, attributes] = Array.isArray(heading) ? heading : [heading, false]
    return markup`<th scope="col"${attributes && markup` ${attributes}`}>${content}</th>`
  })
  const bodies = groups.map(({ attributes, title, rows }) => {
    const above = markup`<tr class="section"><th scope="rowgroup" colspan="${head.length}"><span>${title}</span></th></tr>`
    return markup`<tbody${attributes && markup` ${attributes}`}>${title && above}
${rows}</tbody>
`
  })
  return markup`<div class="scroll" role="region" aria-label="${name}" tabindex="0"><table class="${style}">
<thead><tr>${head}</tr></thead>
${bodies}</table></div>`
}
