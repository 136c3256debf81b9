// The page on which the operator's password is changed.
import { html } from 'hono/html'
import { BASE } from '../dashboard-paths.ts'
import { fields } from '../form-fields.ts'
import { field, hidden, type Html, type Page, problemNote, successNote } from './layout.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../session/operator-password.ts'

interface PasswordPage {
  readonly csrf: string
  /** False if the environment sets the password. */
  readonly changeable: boolean
  readonly problem?: string
  /** Whether the password was just changed. */
  readonly changed?: boolean
}

export function passwordPage({ csrf, changeable, problem, changed = false }: PasswordPage): Page {
  return {
    title: 'Password',
    place: 'password',
    content: html`<div class="narrow">
      <h1>Password</h1>
      ${changed && successNote('The password is changed. All other sessions have ended.')}
      ${problem !== undefined && problemNote(problem)} ${changeable ? passwordForm(csrf) : fixedPassword()}
    </div>`,
  }
}

function fixedPassword(): Html {
  return html`<div class="card">
    <p>
      <code>DASHBOARD_PASSWORD</code> in the environment of the service sets the password. To change it, set
      another value and restart the service.
    </p>
  </div>`
}

function passwordForm(csrf: string): Html {
  const current = html`type="password" autocomplete="current-password"`
  const chosen = html`type="password" autocomplete="new-password"`
  const hint = `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`
  return html`<p class="quiet">Changing it ends every other session.</p>
    <form class="card" method="post" action="${BASE}/password">
      ${hidden(fields.csrf, csrf)}
      <input type="text" name="username" value="operator" autocomplete="username" hidden />
      ${field({ id: 'current', name: fields.password, label: 'Current password' }, current)}
      ${field({ id: 'new', name: fields.newPassword, label: 'New password', hint }, chosen)}
      ${field({ id: 'repeated', name: fields.repeated, label: 'New password again' }, chosen)}
      <button class="button main">Change the password</button>
    </form>`
}
