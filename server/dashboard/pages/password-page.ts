// The page on which the operator's password is changed.
import { html } from 'hono/html'
import { BASE } from '../addresses.ts'
import { fields } from '../fields.ts'
import { hidden, type Html, type Page, problemNote, successNote } from './layout.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../session/password.ts'

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
      ${hidden(fields.csrf, csrf)}
      <input type="text" name="username" value="operator" autocomplete="username" hidden />
      ${field('current', fields.password, 'Current password', 'current-password')}
      ${field('new', fields.newPassword, 'New password', 'new-password', hint)}
      ${field('repeated', fields.repeated, 'New password again', 'new-password')}
      <button class="button main">Change the password</button>
    </form>`
}
