// Who is signed in. Pages are shown to nobody else, and a change is made only by a form of the session itself.
import type { Context, Handler } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { BASE } from '../pages/layout.ts'
import { fields } from '../pages/page-elements.ts'
import { problem } from '../pages/problem.ts'
import { isTokenOf, type Session, type Sessions } from './session.ts'

const SESSION_COOKIE = 'touchstone_session'

type Answer = Response | Promise<Response>

export interface Guard {
  /** The session of who sent this request. */
  sessionOf(c: Context): Promise<Session | undefined>
  /** True where the request names a session, alive or not. */
  namesSession(c: Context): boolean
  /** Signs in, under a new session id whatever was there before. */
  begin(c: Context): Promise<Session>
  /** Signs out, on the server and in the browser. */
  end(c: Context): Promise<void>
  /** A page for who is signed in; everybody else is sent to sign in. */
  page(show: (c: Context, session: Session) => Answer): Handler
  /** A change by who is signed in, posted with the token of the session. */
  change(act: (c: Context, session: Session, form: URLSearchParams) => Answer): Handler
}

export function createGuard(sessions: Sessions): Guard {
  async function sessionOf(c: Context): Promise<Session | undefined> {
    const id = getCookie(c, SESSION_COOKIE)
    return id === undefined ? undefined : sessions.find(id)
  }

  async function endSession(c: Context): Promise<void> {
    const id = getCookie(c, SESSION_COOKIE)
    if (id !== undefined) await sessions.end(id)
  }

  function page(show: (c: Context, session: Session) => Answer): Handler {
    return async function page(c) {
      const session = await sessionOf(c)
      return session === undefined ? c.redirect(`${BASE}/sign-in`, 303) : show(c, session)
    }
  }

  return {
    sessionOf,
    namesSession: (c) => getCookie(c, SESSION_COOKIE) !== undefined,
    async begin(c) {
      await endSession(c)
      const { id, session } = await sessions.start()
      setCookie(c, SESSION_COOKIE, id, cookieOptions(c))
      return session
    },
    async end(c) {
      await endSession(c)
      deleteCookie(c, SESSION_COOKIE, cookieOptions(c))
    },
    page,
    change: (act) =>
      page(async function change(c, session) {
        const form = await readForm(c)
        if (!isTokenOf(session, form.get(fields.csrf) ?? ''))
          return problem(c, 403, 'Not accepted', OUT_OF_DATE, session)
        return act(c, session, form)
      }),
  }
}

/** What is said of a form that this session, or this version, did not make. */
export const OUT_OF_DATE = 'This form is out of date: load it again.'

/** The fields of a posted form; none where the body is no form, which then lacks what every form has. */
export async function readForm(c: Context): Promise<URLSearchParams> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  return new URLSearchParams(type === 'application/x-www-form-urlencoded' ? await c.req.text() : '')
}

/** The root of the service as the browser sees it. */
export function baseUrlOf(c: Context): string {
  return `${schemeOf(c)}://${new URL(c.req.url).host}`
}

/** `Secure` wherever the browser came by TLS. Believing a proxy's header can only make the cookie stricter. */
function cookieOptions(c: Context) {
  return { httpOnly: true, sameSite: 'Strict', path: BASE, secure: schemeOf(c) === 'https' } as const
}

function schemeOf(c: Context): 'http' | 'https' {
  const forwarded = c.req.header('x-forwarded-proto')?.split(',')[0]?.trim().toLowerCase()
  return forwarded === 'https' || new URL(c.req.url).protocol === 'https:' ? 'https' : 'http'
}
