// A page that says why a request was not done, with the status that says it to programs.
import type { Context } from 'hono'
import { problemPage } from './sign-in-pages.ts'
import type { Session } from '../session/session.ts'

/** The session, where there is one, gives the page its navigation. */
export function problem(
  c: Context,
  status: 403 | 404 | 409 | 413 | 500 | 503,
  title: string,
  text: string,
  session?: Session,
  link?: { readonly path: string; readonly text: string },
): Response | Promise<Response> {
  return c.html(problemPage({ title, problem: text, csrf: session?.csrf, link }), status)
}
