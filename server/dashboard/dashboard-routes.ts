// The dashboard, the only place where keys are created, revoked and deleted (KEY-6). It works without a script. The only
// state of this process is the counts of the sign-in throttle, so any instance can serve any request.
import { type Context, Hono } from 'hono'
import { ApiError } from '../http/api-error.ts'
import { BASE } from './dashboard-paths.ts'
import { fields } from './form-fields.ts'
import { negotiate } from './negotiate.ts'
import { SCRIPT_SOURCE, show, STYLE_SOURCE } from './pages/layout.ts'
import { problemPage } from './pages/problem-page.ts'
import { signInPage } from './pages/sign-in-page.ts'
import { Problem } from './problem.ts'
import { auditRoutes } from './routes/audit-routes.ts'
import { createDashboard, type DashboardOptions } from './routes/dashboard.ts'
import { keyRoutes } from './routes/key-routes.ts'
import { passwordRoutes } from './routes/password-routes.ts'
import { rotationRoutes } from './routes/rotation-routes.ts'
import { readForm } from './session/guard.ts'
import { protection } from './session/protection.ts'

/** The pages, to be mounted at `/dashboard`. */
export function dashboardRoutes(options: DashboardOptions): Hono {
  const dashboard = createDashboard(options)
  const { guard, record, refusalOf } = dashboard
  const app = new Hono()

  app.onError((error, c: Context) => {
    const isExpected = error instanceof Problem
    // After an unexpected error the session is uncertain, so the page has no navigation.
    if (!isExpected) c.set('session', undefined)
    const problem = isExpected ? error : problemOf(error)
    if (problem.status === 500) options.reportError(error)
    if (error instanceof ApiError)
      for (const [name, value] of Object.entries(error.headers)) c.header(name, value)
    const page = () => show(c, problemPage(problem), problem.status)
    return negotiate(c, { problems: [problem.message] }, page, problem.status)
  })
  app.use(...protection(options.hosts ?? [], STYLE_SOURCE, SCRIPT_SOURCE))

  app.get('/sign-in', async (c) => {
    if ((await guard.sessionOf(c)) !== undefined) return c.redirect(BASE, 303)
    return show(c, signInPage(guard.namesSession(c) ? { notice: 'Your session has ended.' } : {}))
  })

  // No form token, because there is no session yet that a forged form could use, and the origin was checked.
  app.post('/sign-in', async (c) => {
    const refusal = await refusalOf(c, (await readForm(c)).get(fields.password) ?? '')
    if (refusal !== undefined) {
      const { problem, status } = refusal
      return negotiate(c, { problems: [problem] }, () => show(c, signInPage({ problem }), status), status)
    }
    const { csrf } = await guard.begin(c)
    await record(c, 'sign-in')
    return negotiate(c, { csrf }, () => c.redirect(BASE, 303))
  })

  app.post('/sign-out', guard.change, async (c) => {
    await guard.end(c)
    await record(c, 'sign-out')
    return negotiate(c, {}, () => c.redirect(`${BASE}/sign-in`, 303))
  })

  for (const routes of [keyRoutes, rotationRoutes, auditRoutes, passwordRoutes])
    app.route('/', routes(dashboard))

  app.all('*', async (c) => {
    if (c.req.path === `${BASE}/`) return c.redirect(BASE, 301)
    await guard.sessionOf(c)
    throw new Problem(404, 'No such page', 'This page does not exist.')
  })
  return app
}

function problemOf(error: Error): Problem {
  return error instanceof ApiError && error.status === 503
    ? new Problem(503, 'Temporarily unavailable', `${error.message} Load this page again in a moment.`)
    : new Problem(500, 'The request failed', 'The server failed to answer; its log has the reason.')
}
