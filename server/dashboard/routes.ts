// The dashboard, the only place where keys are created, revoked and deleted (KEY-6). It works without a script. The only
// state of this process is the counts of the sign-in throttle, so any instance can serve any request.
import { type Context, Hono } from 'hono'
import { clientAddressOf, readTrustedProxies } from '../addresses/client-address.ts'
import { ApiError } from '../http/errors.ts'
import type { Storage } from '../keys/storage.ts'
import { BASE } from './addresses.ts'
import { fields } from './fields.ts'
import { negotiate } from './negotiate.ts'
import { SCRIPT_SOURCE, STYLE_SOURCE } from './pages/layout.ts'
import { problemPage } from './pages/problem-page.ts'
import { signInPage } from './pages/sign-in-page.ts'
import { Problem } from './problem.ts'
import { auditRoutes } from './routes/audit-routes.ts'
import type { Dashboard } from './routes/dashboard.ts'
import { keyRoutes } from './routes/key-routes.ts'
import { passwordRoutes } from './routes/password-routes.ts'
import { createRecorder } from './routes/recorder.ts'
import { rotationRoutes } from './routes/rotation-routes.ts'
import { createGuard, readForm } from './session/guard.ts'
import { protection } from './session/protection.ts'
import { createSessions, type SessionLimits } from './session/session.ts'
import { createSignInGate } from './session/sign-in-gate.ts'
import { createSignInThrottle, type SignInLimits } from './session/sign-in-throttle.ts'

export interface DashboardOptions
  extends
    Pick<Dashboard, 'password' | 'models' | 'rateLimit' | 'usageDelayMs'>,
    Partial<Pick<Dashboard, 'now'>> {
  readonly storage: Pick<Storage, 'keys' | 'usage' | 'audit' | 'sessions'>
  /** Called with the error of a failed request. The answer shows nothing of it. */
  readonly reportError: (error: unknown) => void
  /** The address of the client, for the throttle and the audit log; the address of the socket by default. */
  readonly clientAddress?: (c: Context) => string
  /** The names under which pages are served, beside IP addresses and localhost; in lower case. */
  readonly hosts?: readonly string[]
  readonly sessionLimits?: SessionLimits
  readonly signInLimits?: SignInLimits
}

/** The pages, to be mounted at `/dashboard`. */
export function dashboardRoutes(options: DashboardOptions): Hono {
  const { storage, password, reportError, hosts = [], now = Date.now } = options
  const { clientAddress = clientAddressOf(readTrustedProxies('')) } = options
  const sessions = createSessions(storage.sessions, now, options.sessionLimits)
  const guard = createGuard(sessions)
  const record = createRecorder(storage.audit, clientAddress, now, reportError)
  const throttle = createSignInThrottle(options.signInLimits)
  const gate = createSignInGate(password, throttle, clientAddress, (c) => record(c, 'sign-in-refused'))
  const app = new Hono()

  app.onError((error, c) => {
    const problem = error instanceof Problem ? error : problemOf(error)
    if (problem.status === 500) reportError(error)
    if (error instanceof ApiError)
      for (const [name, value] of Object.entries(error.headers)) c.header(name, value)
    const page = () => c.html(problemPage(problem), problem.status)
    return negotiate(c, { problems: [problem.message] }, page, problem.status)
  })
  app.use(...protection(hosts, STYLE_SOURCE, SCRIPT_SOURCE))

  app.get('/sign-in', async (c) => {
    if ((await guard.sessionOf(c)) !== undefined) return c.redirect(BASE, 303)
    return c.html(signInPage(guard.namesSession(c) ? { notice: 'Your session has ended.' } : {}))
  })

  // No token: there is no session yet whose rights a forged form could use, and the origin was checked.
  app.post('/sign-in', async (c) => {
    const refusal = await gate(c, (await readForm(c)).get(fields.password) ?? '')
    if (refusal !== undefined) {
      const { problem, status } = refusal
      return negotiate(c, { problems: [problem] }, () => c.html(signInPage({ problem }), status), status)
    }
    const { csrf } = await guard.begin(c)
    await record(c, 'sign-in')
    return negotiate(c, { csrf }, () => c.redirect(BASE, 303))
  })

  app.post(
    '/sign-out',
    guard.change(async (c) => {
      await guard.end(c)
      await record(c, 'sign-out')
      return negotiate(c, {}, () => c.redirect(`${BASE}/sign-in`, 303))
    }),
  )

  const dashboard: Dashboard = { ...options, now, sessions, guard, gate, record }
  for (const routes of [keyRoutes, rotationRoutes, auditRoutes, passwordRoutes])
    app.route('/', routes(dashboard))

  app.all('*', async (c) => {
    if (c.req.path === `${BASE}/`) return c.redirect(BASE, 301)
    const session = await guard.sessionOf(c)
    const options = session === undefined ? {} : { csrf: session.csrf }
    throw new Problem(404, 'No such page', 'This page does not exist.', options)
  })
  return app
}

function problemOf(error: Error): Problem {
  return error instanceof ApiError && error.status === 503
    ? new Problem(503, 'Temporarily unavailable', `${error.message} Load this page again in a moment.`)
    : new Problem(500, 'The request failed', 'The server failed to answer; its log has the reason.')
}
