// The page that asks for the password.
import { html } from 'hono/html'
import { BASE } from '../dashboard-paths.ts'
import { fields } from '../form-fields.ts'
import { field, type Page, problemNote } from './layout.ts'

export function signInPage({ problem, notice }: { problem?: string; notice?: string } = {}): Page {
  return {
    title: 'Sign in',
    content: html`<div class="narrow">
      <h1>Sign in</h1>
      <p class="quiet">API keys are created, revoked and deleted here only.</p>
      ${notice !== undefined && html`<p class="note" role="status">${notice}</p>`}
      ${problem !== undefined && problemNote(problem)}
      <form class="card" method="post" action="${BASE}/sign-in">
        <input type="text" name="username" value="operator" autocomplete="username" hidden />
        ${field(
          {
            id: 'password',
            name: fields.password,
            label: 'Operator password',
            hint: html`The value of <code>DASHBOARD_PASSWORD</code>, or the password printed at the first
              start.`,
          },
          html`type="password" autocomplete="current-password" autofocus`,
        )}
        <button class="button main">Sign in</button>
      </form>
    </div>`,
  }
}
