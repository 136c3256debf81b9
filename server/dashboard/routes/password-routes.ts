// Changes the operator's password. The current password is required, and guessing it is throttled as at the sign-in.
import { Hono } from 'hono'
import { BASE } from '../addresses.ts'
import { fields } from '../fields.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../session/password.ts'
import { passwordPage } from '../pages/password-page.ts'
import type { Dashboard } from './dashboard.ts'

export function passwordRoutes({ password, guard, sessions, gate, record }: Dashboard): Hono {
  const app = new Hono()
  const { change } = password

  app.get(
    '/password',
    guard.page((c, csrf) => {
      const changed = c.req.query('changed') !== undefined
      return c.html(passwordPage({ csrf, changeable: change !== undefined, changed }))
    }),
  )

  app.post(
    '/password',
    guard.change(async (c, csrf, form) => {
      const page = (problem?: string) =>
        passwordPage({
          csrf,
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
      // This session continues under a new id, so a stolen old id ends too.
      await sessions.endOthers(await guard.begin(c))
      await record(c, 'password-changed')
      return c.redirect(`${BASE}/password?changed`, 303)
    }),
  )
  return app
}

const FIXED = 'Password: DASHBOARD_PASSWORD in the environment sets it. Change it there.'

function problemOf(wanted: string, repeated: string): string | undefined {
  const { length } = [...wanted]
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH)
    return `New password: ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`
  return wanted === repeated ? undefined : 'New password: the two values differ.'
}
