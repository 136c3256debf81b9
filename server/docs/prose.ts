// Text of the document as HTML, with backticks as code.
import { html } from 'hono/html'

/** The result of `hono/html`, which escapes every value. */
export type Html = ReturnType<typeof html>

/** A paragraph, or nothing if there is no text. */
export function prose(text: string | undefined): Html {
  return text === undefined ? html`` : html`<p>${inline(text)}</p>`
}

/** Text without a paragraph. */
export function inline(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
}

/** A table with these column titles. */
export function table(titles: readonly string[], rows: readonly Html[], className = ''): Html {
  return html`<div class="table">
    <table class="${className}">
      <thead>
        <tr>
          ${titles.map((title) => html`<th scope="col">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`
}
