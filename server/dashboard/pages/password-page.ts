// The page on which the operator's password is changed.
import { html } from 'hono/html'
import { BASE, frame, hidden, type Html, problemNote } from './layout.ts'
import { fields } from './page-elements.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../session/password.ts'
import type { Session } from '../session/session.ts'

export interface PasswordPage {
  readonly session: Session
  /** False where the environment gives the password. */
  readonly changeable: boolean
  readonly problem?: string
  /** Whether it was just changed. */
  readonly changed?: boolean
}

export function passwordPage({ session, changeable, problem, changed = false }: PasswordPage): Html {
  return frame({
    title: 'Password',
    place: 'password',
    csrf: session.csrf,
    content: html`<div class="narrow">
      <h1>Password</h1>
      ${
        changed &&
        html`<p class="note good" role="status">The password is changed. All other sessions have ended.</p>`
      }
      ${problem !== undefined && problemNote(problem)} ${changeable ? passwordForm(session) : fixedPassword()}
    </div>`,
  })
}

function fixedPassword(): Html {
  return html`<div class="card">
    <p>
      The password is set by <code>DASHBOARD_PASSWORD</code> in the environment of the service, and is changed
      there: set another one and start the service again.
    </p>
  </div>`
}

function passwordForm(session: Session): Html {
  const field = (id: string, name: string, label: string, complete: string, hint?: string) =>
    html`<div class="field">
      <label class="title" for="${id}">${label}</label>
      ${hint !== undefined && html`<span class="hint" id="${id}-hint">${hint}</span>`}
      <input
        id="${id}"
        name="${name}"
        type="password"
        autocomplete="${complete}"
        ${hint !== undefined && html`aria-describedby="${id}-hint"`}
        required
      />
    </div>`
  const hint = `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`
  return html`<p class="quiet">Changing it ends every other session.</p>
    <form class="card" method="post" action="${BASE}/password">
      ${hidden(fields.csrf, session.csrf)}
      <input type="text" name="username" value="operator" autocomplete="username" hidden />
      ${field('current', fields.password, 'Current password', 'current-password')}
      ${field('new', fields.newPassword, 'New password', 'new-password', hint)}
      ${field('repeated', fields.repeated, 'New password again', 'new-password')}
      <button class="button main">Change the password</button>
    </form>`
}
