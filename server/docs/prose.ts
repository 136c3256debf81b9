// Text of the document as HTML, with backticks as code.
import { html } from 'hono/html'
import type { Html } from '../../harness/html/document.ts'
import { prose as inline } from '../../harness/html/markup.ts'

/** A paragraph, or nothing if there is no text. */
export function prose(text: string | undefined): Html {
  return text === undefined ? html`` : html`<p>${inline(text)}</p>`
}
