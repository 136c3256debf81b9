// The page of a new key: the only page that ever shows a secret.
import { html } from 'hono/html'
import type { CreatedKey } from '../../keys/key-store.ts'
import { curlCommand, quotedForShell } from '../../pages/curl-command.ts'
import { copyElements } from './copy-script.ts'
import { BASE, keyPath } from '../dashboard-paths.ts'
import { type Page, type Shown, terms } from './layout.ts'
import { limitsOf, modelsOf } from './value-labels.ts'

export interface CreatedPage extends Shown, CreatedKey {
  /** The root of the service as the browser sees it. */
  readonly baseUrl: string
}

export function createdPage({ key, secret, served, rateLimit, baseUrl }: CreatedPage): Page {
  const model = (key.models ?? served).find((id) => served.includes(id)) ?? key.models?.[0] ?? 'MODEL'
  const absent = (key.models ?? []).filter((id) => !served.includes(id))
  return {
    title: 'Your new key',
    place: 'keys',
    copies: true,
    content: html`<div class="column">
      <h1>Your new key</h1>
      <p class="quiet">
        Copy the secret now. The service keeps no copy and no page shows it again. Replace a lost one.
      </p>
      ${
        absent.length > 0 &&
        html`<p class="note" role="status">
          Not served at present:
          ${absent.map((id, at) => html`${at > 0 && ', '}<bdi class="mono">${id}</bdi>`)}. The key may use it
          once it is served.
        </p>`
      }
      <div class="card">
        <h2>Secret</h2>
        <code class="secret" id="${copyElements.secret}">${secret}</code>
        <p class="row">
          <button type="button" class="button main" id="${copyElements.button}" hidden>
            Copy the secret
          </button>
          <span id="${copyElements.status}" role="status"></span>
        </p>
        ${terms([
          ['Name', html`<bdi>${key.name}</bdi>`],
          ['Id', html`<code id="key-id">${key.id}</code>`],
          ['Models', modelsOf(key, served)],
          ['Limits', limitsOf(key, rateLimit)],
        ])}
      </div>
      <div class="card">
        <h2>Try it</h2>
        <p>
          Put the secret into the environment, not into the shell history. Paste it when this command waits:
        </p>
        <pre>read -rs SVC_API_KEY && export SVC_API_KEY</pre>
        <p>Then:</p>
        <pre id="try-it">${curlLine(baseUrl, model)}</pre>
      </div>
      <div class="actions">
        <a class="button main" href="${BASE}">Done</a> <a href="${keyPath(key.id)}">Show the key</a>
      </div>
    </div>`,
  }
}

/** One POSIX shell command that sends a request with the key from the environment. */
export function curlLine(baseUrl: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
  return curlCommand(quotedForShell(`${baseUrl}/v1/chat/completions`), 'SVC_API_KEY', body)
}
