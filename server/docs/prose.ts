// Text of the document as HTML, with backticks as code.
import { html } from 'hono/html'
import type { Html } from '../pages/page.ts'

/** A paragraph, or nothing if there is no text. */
export function prose(text: string | undefined): Html {
  return text === undefined ? html`` : html`<p>${inline(text)}</p>`
}

/** Text without a paragraph. */
export function inline(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
}
