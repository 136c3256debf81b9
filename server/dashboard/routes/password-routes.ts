// Changing the operator's password, by who knows the current one. Guessing that one here is throttled as at the sign-in.
import { Hono } from 'hono'
import { BASE } from '../pages/layout.ts'
import { fields } from '../pages/page-elements.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../session/password.ts'
import { passwordPage } from '../pages/password-page.ts'
import type { Dashboard } from './dashboard.ts'

export function passwordRoutes({ password, guard, sessions, gate, record }: Dashboard): Hono {
  const app = new Hono()
  const { change } = password

  app.get(
    '/password',
    guard.page((c, session) => {
      const changed = c.req.query('changed') !== undefined
      return c.html(passwordPage({ session, changeable: change !== undefined, changed }))
    }),
  )

  app.post(
    '/password',
    guard.change(async (c, session, form) => {
      const page = (problem?: string) =>
        passwordPage({
          session,
          changeable: change !== undefined,
          ...(problem !== undefined && { problem }),
        })
      if (change === undefined) return c.html(page(FIXED), 403)
      const wanted = form.get(fields.newPassword) ?? ''
      const problem = problemOf(wanted, form.get(fields.repeated) ?? '')
      if (problem !== undefined) return c.html(page(problem), 400)
      const refusal = await gate(c, form.get(fields.password) ?? '')
      if (refusal !== undefined) return c.html(page(refusal.problem), refusal.status)
      await change(wanted)
      // This session too goes on under a new id: whoever had the old one is out.
      await sessions.endOthers(await guard.begin(c))
      await record(c, 'password-changed')
      return c.redirect(`${BASE}/password?changed`, 303)
    }),
  )
  return app
}

const FIXED = 'Password: DASHBOARD_PASSWORD sets it in the environment, and it is changed there.'

function problemOf(wanted: string, repeated: string): string | undefined {
  const { length } = [...wanted]
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH)
    return `New password: ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`
  return wanted === repeated ? undefined : 'New password: the two are not the same.'
}
