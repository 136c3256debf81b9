// The key page: the only place where keys are made and revoked (KEY-6). It works without a script.
import { getConnInfo } from '@hono/node-server/conninfo'
import { type Context, Hono } from 'hono'
import type { KeyStore } from '../keys/key-store.ts'
import { createGuard, readForm } from './guard.ts'
import { keyRoutes } from './key-routes.ts'
import { BASE } from './layout.ts'
import { fields } from './page-elements.ts'
import { signInPage } from './pages.ts'
import type { OperatorPassword } from './password.ts'
import { problem } from './problem.ts'
import { protection } from './protection.ts'
import { createSessionStore, type SessionLimits } from './session.ts'
import { createSignInThrottle, type SignInLimits } from './sign-in-throttle.ts'

export interface DashboardOptions {
  readonly keys: KeyStore
  readonly password: OperatorPassword
  /** The ids of the models that are served now. */
  readonly models: () => readonly string[]
  /** Hears of what failed while a page was made; the page itself tells nothing of it. */
  readonly reportError: (error: unknown) => void
  /** Milliseconds since the epoch, for the life of sessions. */
  readonly now?: () => number
  /** Where a request comes from, to throttle sign-ins by; the address of the socket unless given. */
  readonly clientAddress?: (c: Context) => string
  readonly sessionLimits?: SessionLimits
  readonly signInLimits?: SignInLimits
}

/** The pages, to be mounted at `/dashboard`. */
export function dashboardRoutes(options: DashboardOptions): Hono {
  const { keys, models, password, reportError, clientAddress = socketAddress } = options
  const guard = createGuard(createSessionStore({ now: options.now, limits: options.sessionLimits }))
  const throttle = createSignInThrottle(options.signInLimits)
  const app = new Hono()

  app.onError((error, c) => {
    reportError(error)
    return problem(c, 500, 'That did not work', 'Something failed on the server; its log says what.')
  })
  app.use(...protection())

  app.get('/sign-in', (c) => {
    if (guard.sessionOf(c) !== undefined) return c.redirect(BASE, 303)
    return c.html(signInPage(guard.namesSession(c) ? { notice: 'Your session has ended.' } : {}))
  })

  // Without a token, since no session stands yet whose rights a forged form could use; its origin was looked at.
  app.post('/sign-in', async (c) => {
    const candidate = (await readForm(c)).get(fields.password) ?? ''
    const verdict = await throttle.attempt(clientAddress(c), () => password.verify(candidate))
    if (verdict === 'right') {
      guard.begin(c)
      return c.redirect(BASE, 303)
    }
    if (verdict === 'wrong')
      return c.html(signInPage({ problem: 'Password: this is not the operator’s password.' }), 403)
    const { refused, retryAfterSeconds } = verdict
    c.header('Retry-After', String(retryAfterSeconds))
    const reason = refused === 'busy' ? 'Too many sign-ins at once.' : 'Too many wrong passwords.'
    const text = `${reason} Try again in ${retryAfterSeconds} s.`
    return c.html(signInPage({ problem: text }), refused === 'busy' ? 503 : 429)
  })

  app.post(
    '/sign-out',
    guard.change((c) => {
      guard.end(c)
      return c.redirect(`${BASE}/sign-in`, 303)
    }),
  )

  app.route('/', keyRoutes({ keys, models, guard }))

  app.all('*', (c) => {
    if (c.req.path === `${BASE}/`) return c.redirect(BASE, 301)
    return problem(c, 404, 'No such page', 'There is nothing here.', guard.sessionOf(c))
  })
  return app
}

/** One name for all where there is no socket, as in a test: then all share the failures of one address. */
function socketAddress(c: Context): string {
  try {
    return getConnInfo(c).remote.address ?? 'unknown'
  } catch {
    return 'unknown'
  }
}
