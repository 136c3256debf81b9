// The key page: the only place where keys are made and revoked (KEY-6). It works without a script, and keeps nothing in
// this process but the counts of the sign-in throttle: any instance may get any request.
import { type Context, Hono } from 'hono'
import { clientAddressOf, readTrustedProxies } from '../http/client-address.ts'
import { ApiError } from '../http/errors.ts'
import type { Storage } from '../keys/storage.ts'
import type { Dashboard } from './routes/dashboard.ts'
import { auditRoutes } from './routes/audit-routes.ts'
import { createGuard, readForm } from './session/guard.ts'
import { keyRoutes } from './routes/key-routes.ts'
import { BASE } from './pages/layout.ts'
import { fields } from './pages/page-elements.ts'
import { signInPage } from './pages/sign-in-pages.ts'
import { passwordRoutes } from './routes/password-routes.ts'
import { problem } from './pages/problem.ts'
import { protection } from './session/protection.ts'
import { createRecorder } from './routes/recorder.ts'
import { rotationRoutes } from './routes/rotation-routes.ts'
import { createSessions, type SessionLimits } from './session/session.ts'
import { createSignInGate } from './session/sign-in-gate.ts'
import { createSignInThrottle, type SignInLimits } from './session/sign-in-throttle.ts'

export interface DashboardOptions
  extends
    Pick<Dashboard, 'password' | 'models' | 'rateLimit' | 'usageDelayMs'>,
    Partial<Pick<Dashboard, 'now'>> {
  readonly storage: Pick<Storage, 'keys' | 'usage' | 'audit' | 'sessions'>
  /** Called with what failed while a page was made; the page itself shows nothing of it. */
  readonly reportError: (error: unknown) => void
  /** Where a request comes from, for the throttle and the audit log; the address of the socket unless given. */
  readonly clientAddress?: (c: Context) => string
  /** The names under which pages are served, beside addresses and localhost; in lower case. */
  readonly hosts?: readonly string[]
  readonly sessionLimits?: SessionLimits
  readonly signInLimits?: SignInLimits
}

/** The pages, to be mounted at `/dashboard`. */
export function dashboardRoutes(options: DashboardOptions): Hono {
  const { storage, password, reportError, hosts = [], now = Date.now } = options
  const { clientAddress = clientAddressOf(readTrustedProxies('')) } = options
  const sessions = createSessions({ records: storage.sessions, now, limits: options.sessionLimits })
  const guard = createGuard(sessions)
  const record = createRecorder({ audit: storage.audit, clientAddress, now, reportError })
  const gate = createSignInGate({
    password,
    throttle: createSignInThrottle(options.signInLimits),
    clientAddress,
    refused: (c) => record(c, 'sign-in-refused'),
  })
  const app = new Hono()

  app.onError((error, c) => {
    if (error instanceof ApiError && error.status === 503) {
      for (const [name, value] of Object.entries(error.headers)) c.header(name, value)
      return problem(c, 503, 'Not just now', `${error.message} Load this page again in a moment.`)
    }
    reportError(error)
    return problem(c, 500, 'That did not work', 'Something failed on the server; its log says what.')
  })
  app.use(...protection(hosts))

  app.get('/sign-in', async (c) => {
    if ((await guard.sessionOf(c)) !== undefined) return c.redirect(BASE, 303)
    return c.html(signInPage(guard.namesSession(c) ? { notice: 'Your session has ended.' } : {}))
  })

  // Without a token, since no session stands yet whose rights a forged form could use; its origin was checked.
  app.post('/sign-in', async (c) => {
    const candidate = (await readForm(c)).get(fields.password) ?? ''
    const refusal = await gate(c, candidate)
    if (refusal !== undefined) return c.html(signInPage({ problem: refusal.problem }), refusal.status)
    await guard.begin(c)
    await record(c, 'sign-in')
    return c.redirect(BASE, 303)
  })

  app.post(
    '/sign-out',
    guard.change(async (c) => {
      await guard.end(c)
      await record(c, 'sign-out')
      return c.redirect(`${BASE}/sign-in`, 303)
    }),
  )

  const dashboard: Dashboard = { ...options, now, sessions, guard, gate, record }
  for (const routes of [keyRoutes, rotationRoutes, auditRoutes, passwordRoutes])
    app.route('/', routes(dashboard))

  app.all('*', async (c) => {
    if (c.req.path === `${BASE}/`) return c.redirect(BASE, 301)
    return problem(c, 404, 'No such page', 'There is nothing here.', await guard.sessionOf(c))
  })
  return app
}
