// Asks the operator to confirm that a key is revoked or deleted, and shows whether it is still used (KEY-8, KEY-12).
import { html } from 'hono/html'
import { maskKey } from '../../../spec/protocol/key.ts'
import { BASE, keyPath, rotationPath } from '../dashboard-paths.ts'
import { total } from '../data/traffic.ts'
import { fields } from '../form-fields.ts'
import { type KeyPage, lately } from './key-page.ts'
import { count, dateTime, stateOf } from './value-labels.ts'
import { hidden, type Page, terms } from './layout.ts'

export interface ConfirmPage extends KeyPage {
  readonly change: 'revoke' | 'delete'
}

const CONSEQUENCES = {
  revoke: `The next request with this key gets a 401; a stream in flight is finished. A revoked key never works again,
    so give a new key to its user first.`,
  delete: `The key disappears from the list and never works again: the next request with it gets a 401; a stream in
    flight is finished. The audit log keeps its entries. This cannot be undone.`,
}

export function confirmPage({ change, key, use, csrf, now }: ConfirmPage): Page {
  const [title, verb] = change === 'revoke' ? ['Revoke a key', 'Revoke'] : ['Delete a key', 'Delete']
  return {
    title,
    place: 'keys',
    content: html`<div class="column">
      <h1>${verb} <bdi>${key.name}</bdi>?</h1>
      <p class="quiet">${CONSEQUENCES[change]}</p>
      ${
        key.revokedAt !== null
          ? html`<p class="note">This key is already revoked.</p>`
          : use.lately[15] > 0
            ? html`<p class="note bad">
                <strong>This key is in use:</strong> ${count(use.lately[15], 'request')} in the last 15
                minutes. Their sender will fail at once.
                <a href="${rotationPath(key.id)}">Replace the key</a> first.
              </p>`
            : html`<p class="note">No request in the last 15 minutes.</p>`
      }
      <div class="card">
        ${terms([
          ['Key', html`<code>${maskKey(key.lastFour)}</code>`],
          ['State', stateOf(key)],
          ['Created', dateTime(key.createdAt)],
          ...lately(use, now),
          ['Last 24 hours', count(total(use.hours), 'request')],
        ])}
        <form class="actions" method="post" action="${keyPath(key.id, change)}">
          ${hidden(fields.csrf, csrf)}
          <button class="button danger">${verb} this key</button>
          <a class="button" href="${BASE}">Keep it</a>
        </form>
      </div>
    </div>`,
  }
}
