// Text of the document as HTML: escaped, with what stands in backticks as code.
import { html } from 'hono/html'

/** What `hono/html` makes; every value put into it is escaped. */
export type Html = ReturnType<typeof html>

/** A paragraph; nothing where there is no text. */
export function prose(text: string | undefined): Html {
  return text === undefined ? html`` : html`<p>${inline(text)}</p>`
}

/** The same without a paragraph around it. */
export function inline(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
}
