// Shows pages to signed-in operators only, and accepts a change only with the token of its session.
import type { Context, Next } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import { schemeOf } from '../../pages/base-url.ts'
import { BASE } from '../dashboard-paths.ts'
import { fields } from '../form-fields.ts'
import { acceptsJson } from '../negotiate.ts'
import { Problem } from '../problem.ts'
import { isTokenOf, type Session, type Sessions } from './session.ts'

const SESSION_COOKIE = 'touchstone_session'

/** The variables of a page's handlers. */
export interface SignedIn {
  Variables: { session: Session }
}

/** The variables of a change's handlers. */
export interface Change {
  Variables: SignedIn['Variables'] & { form: URLSearchParams }
}

export function createGuard(sessions: Sessions) {
  /** The session of the request, with whose token the page of the answer has its navigation. */
  async function sessionOf(c: Context): Promise<Session | undefined> {
    const id = getCookie(c, SESSION_COOKIE)
    const session = id === undefined ? undefined : await sessions.find(id)
    c.set('session', session)
    return session
  }

  async function endSession(c: Context): Promise<void> {
    const id = getCookie(c, SESSION_COOKIE)
    if (id !== undefined) await sessions.end(id)
  }

  async function signedIn(c: Context, next: Next): Promise<Response | void> {
    if ((await sessionOf(c)) !== undefined) return next()
    if (acceptsJson(c)) throw new Problem(401, 'Not signed in', 'Sign in first.')
    return c.redirect(`${BASE}/sign-in`, 303)
  }

  return {
    sessionOf,
    /** Lets requests of signed-in operators pass; others are sent to the sign-in page. */
    page: createMiddleware<SignedIn>(signedIn),
    /** Lets a form of a signed-in operator pass if it carries the token of its session. */
    change: createMiddleware<Change>((c, next) =>
      signedIn(c, async function withToken() {
        const form = await readForm(c)
        if (!isTokenOf(c.var.session, form.get(fields.csrf) ?? '')) throw outOfDate()
        c.set('form', form)
        await next()
      }),
    ),
    /** Whether the request has a session cookie, valid or not. */
    namesSession: (c: Context) => getCookie(c, SESSION_COOKIE) !== undefined,
    /** Signs in under a new session id and ends the earlier session of the browser. */
    async begin(c: Context) {
      await endSession(c)
      const { id, session } = await sessions.start()
      setCookie(c, SESSION_COOKIE, id, cookieOptions(c))
      return session
    },
    /** Signs out, on the server and in the browser. */
    async end(c: Context) {
      await endSession(c)
      deleteCookie(c, SESSION_COOKIE, cookieOptions(c))
    },
  }
}

/** The answer to a form of another session or of another version of the dashboard. */
export function outOfDate(): Problem {
  return new Problem(403, 'Not accepted', 'This form is out of date: load it again.')
}

/** The fields of a posted form. Empty if the body is not a form; the token is then missing too. */
export async function readForm(c: Context): Promise<URLSearchParams> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  return new URLSearchParams(type === 'application/x-www-form-urlencoded' ? await c.req.text() : '')
}

/** `Secure` if the browser came by TLS. */
function cookieOptions(c: Context) {
  return { httpOnly: true, sameSite: 'Strict', path: BASE, secure: schemeOf(c) === 'https' } as const
}
