// The pages around the keys: signing in, the list, revoking, and what is said when something went wrong.
import { html } from 'hono/html'
import { maskKey } from '../../spec/key.ts'
import type { ApiKey } from '../keys/key-store.ts'
import { BASE, frame, hidden, type Html, problemNote } from './layout.ts'
import { fields } from './page-elements.ts'
import type { Session } from './session.ts'

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

export interface KeysPage {
  readonly keys: readonly ApiKey[]
  /** The ids that are served now. */
  readonly served: readonly string[]
  readonly session: Session
  readonly notice: string | undefined
}

/** All keys: those in use, and below them, folded away, the revoked ones. */
export function keysPage({ keys, served, session, notice }: KeysPage): Html {
  const active = keys.filter((key) => key.revokedAt === null)
  const revoked = keys.filter((key) => key.revokedAt !== null)
  const create = html`<a class="button main" href="${BASE}/keys/new">Create a key</a>`
  return frame({
    title: 'Keys',
    csrf: session.csrf,
    content: html`<div class="head">
        <div>
          <h1>Keys</h1>
          <p>${active.length} active, ${revoked.length} revoked</p>
        </div>
        ${active.length > 0 && create}
      </div>
      ${notice !== undefined && html`<p class="note good" role="status">${notice}</p>`}
      ${
        active.length > 0
          ? keyTable(active, served)
          : html`<div class="card empty">
              <h2>${revoked.length === 0 ? 'No keys yet' : 'No active key'}</h2>
              <p>
                Every request to the service carries a key. Make one for each program that calls it, so that
                each can be revoked alone.
              </p>
              ${create}
            </div>`
      }
      ${
        revoked.length > 0 &&
        html`<details>
          <summary>Revoked keys (${revoked.length})</summary>
          ${keyTable(revoked, served)}
        </details>`
      }`,
  })
}

function keyTable(keys: readonly ApiKey[], served: readonly string[]): Html {
  return html`<div class="table">
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Key</th>
          <th scope="col">State</th>
          <th scope="col">Models</th>
          <th scope="col">Limit</th>
          <th scope="col">Created</th>
          <th scope="col"><span class="skip">Action</span></th>
        </tr>
      </thead>
      <tbody>
        ${keys.map(
          (key) =>
            html`<tr id="${key.id}">
              <td data-label="Name"><bdi>${key.name}</bdi></td>
              <td data-label="Key"><code class="key">${maskKey(key.lastFour)}</code></td>
              <td data-label="State">${stateOf(key)}</td>
              <td data-label="Models">${modelsOf(key, served)}</td>
              <td data-label="Limit">${limitOf(key)}</td>
              <td data-label="Created">${dateTime(key.createdAt)}</td>
              <td>
                ${
                  key.revokedAt === null &&
                  html`<a class="button small" href="${revokePath(key.id)}"
                    >Revoke<span class="skip"> ${key.name}</span></a
                  >`
                }
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** Asks before a key is revoked. */
export function revokePage({ key, session }: { key: ApiKey; session: Session }): Html {
  return frame({
    title: 'Revoke a key',
    csrf: session.csrf,
    content: html`<div class="column">
      <h1>Revoke <bdi>${key.name}</bdi>?</h1>
      <p class="quiet">
        The next request with this key gets a 401. A revoked key never works again: who still needs one has to
        get a new one first.
      </p>
      <div class="card">
        <dl>
          <dt>Key</dt>
          <dd><code>${maskKey(key.lastFour)}</code></dd>
          <dt>Created</dt>
          <dd>${dateTime(key.createdAt)}</dd>
        </dl>
        <form class="actions" method="post" action="${revokePath(key.id)}">
          ${hidden(fields.csrf, session.csrf)}
          <button class="button danger">Revoke this key</button>
          <a class="button" href="${BASE}">Keep it</a>
        </form>
      </div>
    </div>`,
  })
}

/** A page with one thing to say: why a request was not done. */
export function problemPage({
  title,
  problem,
  csrf,
}: {
  title: string
  problem: string
  csrf: string | undefined
}): Html {
  return frame({
    title,
    csrf,
    content: html`<div class="column">
      <h1>${title}</h1>
      ${problemNote(problem)}
      <p><a href="${BASE}">Back to the keys</a></p>
    </div>`,
  })
}

/** Where the page of a new key is, which shows its secret once. */
export function keyPath(id: string): string {
  return `${BASE}/keys/${encodeURIComponent(id)}`
}

function revokePath(id: string): string {
  return `${keyPath(id)}/revoke`
}

function stateOf(key: ApiKey): Html {
  return key.revokedAt === null
    ? html`<span class="state">active</span>`
    : html`<span><span class="state revoked">revoked</span> ${dateTime(key.revokedAt)}</span>`
}

function modelsOf(key: ApiKey, served: readonly string[]): Html {
  if (key.models === null) return html`<span class="quiet">every model</span>`
  return html`<ul>
    ${key.models.map(
      (model) =>
        html`<li>
          <bdi class="mono">${model}</bdi>${
            !served.includes(model) && html` <span class="quiet">(not served now)</span>`
          }
        </li>`,
    )}
  </ul>`
}

/** A key's limit in words. */
export function limitOf(key: ApiKey): Html {
  return key.limit === null
    ? html`<span class="quiet">server’s own</span>`
    : html`<span>${key.limit.requests} per ${key.limit.windowSeconds} s</span>`
}

/** To the minute, in UTC, whatever the zone of the reader. */
function dateTime(date: Date): Html {
  const iso = date.toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`
}
