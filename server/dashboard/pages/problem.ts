// A page with one thing to say: why a request was not done, with the status that says it to programs.
import type { Context } from 'hono'
import { html } from 'hono/html'
import { BASE, frame, problemNote } from './layout.ts'
import type { Session } from '../session/session.ts'

/** The session, where there is one, gives the page its navigation; `link` is where to go from here. */
export function problem(
  c: Context,
  status: 403 | 404 | 409 | 413 | 421 | 500 | 503,
  title: string,
  text: string,
  session?: Session,
  link?: { readonly path: string; readonly text: string },
): Response | Promise<Response> {
  const content = html`<div class="column">
    <h1>${title}</h1>
    ${problemNote(text)}
    <p class="actions">
      ${link !== undefined && html`<a class="button main" href="${link.path}">${link.text}</a>`}
      <a href="${BASE}">Back to the keys</a>
    </p>
  </div>`
  return c.html(frame({ title, csrf: session?.csrf, content }), status)
}
