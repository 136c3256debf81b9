// Changes the operator's password. The current password is required, and guessing it is throttled as at the sign-in.
import { Hono } from 'hono'
import { BASE } from '../dashboard-paths.ts'
import { fields } from '../form-fields.ts'
import { show } from '../pages/layout.ts'
import { passwordPage } from '../pages/password-page.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../session/operator-password.ts'
import type { Dashboard } from './dashboard.ts'

export function passwordRoutes({ password, guard, sessions, refusalOf, record }: Dashboard): Hono {
  const app = new Hono()
  const { change } = password
  const changeable = change !== undefined

  app.get('/password', guard.page, (c) => {
    const changed = c.req.query('changed') !== undefined
    return show(c, passwordPage({ csrf: c.var.session.csrf, changeable, changed }))
  })

  app.post('/password', guard.change, async (c) => {
    const { session, form } = c.var
    const refused = (problem: string, status: 400 | 403 | 429 | 503) =>
      show(c, passwordPage({ csrf: session.csrf, changeable, problem }), status)
    if (change === undefined) return refused(FIXED, 403)
    const wanted = form.get(fields.newPassword) ?? ''
    const problem = problemOf(wanted, form.get(fields.repeated) ?? '')
    if (problem !== undefined) return refused(problem, 400)
    const refusal = await refusalOf(c, form.get(fields.password) ?? '')
    if (refusal !== undefined) return refused(refusal.problem, refusal.status)
    await change(wanted)
    // This session continues under a new id, so a stolen old id ends too.
    await sessions.endOthers(await guard.begin(c))
    await record(c, 'password-changed')
    return c.redirect(`${BASE}/password?changed`, 303)
  })
  return app
}

const FIXED = 'Password: DASHBOARD_PASSWORD in the environment sets it. Change it there.'

function problemOf(wanted: string, repeated: string): string | undefined {
  const { length } = [...wanted]
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH)
    return `New password: ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`
  return wanted === repeated ? undefined : 'New password: the two values differ.'
}
