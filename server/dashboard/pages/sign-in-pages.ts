// The pages around all others: signing in, and what is said when something went wrong.
import { html } from 'hono/html'
import { BASE, frame, type Html, problemNote } from './layout.ts'
import { fields } from './page-elements.ts'

/** The page that asks for the password. */
export function signInPage({ problem, notice }: { problem?: string; notice?: string } = {}): Html {
  return frame({
    title: 'Sign in',
    content: html`<div class="narrow">
      <h1>Sign in</h1>
      <p class="quiet">Keys are made and revoked here, and nowhere else.</p>
      ${notice !== undefined && html`<p class="note" role="status">${notice}</p>`}
      ${problem !== undefined && problemNote(problem)}
      <form class="card" method="post" action="${BASE}/sign-in">
        <div class="field">
          <input type="text" name="username" value="operator" autocomplete="username" hidden />
          <label class="title" for="password">Operator password</label>
          <span class="hint" id="password-hint"
            >The one in <code>DASHBOARD_PASSWORD</code>, or the one printed at the first start.</span
          >
          <input
            id="password"
            name="${fields.password}"
            type="password"
            autocomplete="current-password"
            aria-describedby="password-hint"
            required
            autofocus
          />
        </div>
        <button class="button main">Sign in</button>
      </form>
    </div>`,
  })
}

export interface ProblemPage {
  readonly title: string
  readonly problem: string
  readonly csrf: string | undefined
  /** Where to go from here. */
  readonly link: { readonly path: string; readonly text: string } | undefined
}

/** A page with one thing to say: why a request was not done. */
export function problemPage({ title, problem, csrf, link }: ProblemPage): Html {
  return frame({
    title,
    csrf,
    content: html`<div class="column">
      <h1>${title}</h1>
      ${problemNote(problem)}
      <p class="actions">
        ${link !== undefined && html`<a class="button main" href="${link.path}">${link.text}</a>`}
        <a href="${BASE}">Back to the keys</a>
      </p>
    </div>`,
  })
}
