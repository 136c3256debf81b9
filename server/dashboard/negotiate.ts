// Programs that accept JSON get data from the same routes that give pages and redirects to browsers. The session, the
// form token and the origin check are the same for both.
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

export function acceptsJson(c: Context): boolean {
  const supports = ['text/html', 'application/json']
  return accepts(c, { header: 'Accept', supports, default: 'text/html' }) === 'application/json'
}

/** Answers with `data` if the client accepts JSON, else with what `browser` returns. */
export function negotiate(
  c: Context,
  data: object,
  browser: () => Response | Promise<Response>,
  status: ContentfulStatusCode = 200,
): Response | Promise<Response> {
  return acceptsJson(c) ? c.json(data, status) : browser()
}
