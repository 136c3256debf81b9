// The page that says why a request was refused.
import { html } from 'hono/html'
import { BASE } from '../dashboard-paths.ts'
import type { Problem } from '../problem.ts'
import { type Page, problemNote } from './layout.ts'

export function problemPage({ title, message, link }: Problem): Page {
  const content = html`<div class="column">
    <h1>${title}</h1>
    ${problemNote(message)}
    <p class="actions">
      ${link !== undefined && html`<a class="button main" href="${link.path}">${link.text}</a>`}
      <a href="${BASE}">Back to the keys</a>
    </p>
  </div>`
  return { title, content }
}
