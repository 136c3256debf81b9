// Who did what, when, and from where.
import { html } from 'hono/html'
import { maskKey } from '../../../spec/protocol/key.ts'
import type { ApiKey } from '../../keys/key-store.ts'
import type { AuditAction, AuditEntry } from '../../keys/storage.ts'
import { BASE, frame, type Html, table } from './layout.ts'
import { auditPath, keyPath } from './paths.ts'
import type { Session } from '../session/session.ts'
import { exactTime } from './labels.ts'

const WORDS: Readonly<Record<AuditAction, string>> = {
  'sign-in': 'Signed in',
  'sign-in-refused': 'Sign-in refused',
  'sign-out': 'Signed out',
  'key-created': 'Created a key',
  'key-revoked': 'Revoked a key',
  'password-changed': 'Changed the password',
}

export interface AuditPage {
  readonly session: Session
  /** Newest first. */
  readonly entries: readonly AuditEntry[]
  /** By their ids. */
  readonly keys: ReadonlyMap<string, ApiKey>
  /** The id of the only key that is asked for. */
  readonly keyId: string | undefined
  /** How many entries may be shown, and whether there are more. */
  readonly limit: number
  readonly more: boolean
}

export function auditPage({ session, entries, keys, keyId, limit, more }: AuditPage): Html {
  const key = keyId === undefined ? undefined : keys.get(keyId)
  return frame({
    title: 'Audit log',
    place: 'audit',
    csrf: session.csrf,
    content: html`<h1>Audit log</h1>
      <p class="quiet">What was done here, and every sign-in that was refused. Newest first, in UTC.</p>
      ${
        keyId !== undefined &&
        html`<p class="note">
          Only what was done to
          ${
            key === undefined
              ? html`<code><bdi>${keyId.slice(0, 80)}</bdi></code
                  >, which is no key of this service`
              : html`<a href="${keyPath(key.id)}"><bdi>${key.name}</bdi></a>
                  <code class="key">${maskKey(key.lastFour)}</code>`
          }.
          <a href="${BASE}/audit">Show everything</a>
        </p>`
      }
      ${entries.length === 0 ? nothing() : entryTable(entries, keys)}
      ${
        more &&
        html`<p class="actions">
          <a class="button" href="${moreAddress(keyId, limit * 10)}">Show older ones too</a>
        </p>`
      }`,
  })
}

function moreAddress(keyId: string | undefined, limit: number): string {
  return `${BASE}/audit?${new URLSearchParams({ ...(keyId !== undefined && { key: keyId }), show: String(limit) })}`
}

function nothing(): Html {
  return html`<div class="card empty">
    <h2>Nothing here</h2>
    <p>Nothing of this kind was done yet.</p>
  </div>`
}

function entryTable(entries: readonly AuditEntry[], keys: ReadonlyMap<string, ApiKey>): Html {
  const row = ({ at, action, address, keyId, detail }: AuditEntry) => {
    const key = keyId === null ? undefined : keys.get(keyId)
    return html`<tr>
      <td data-label="When">${exactTime(new Date(at))}</td>
      <td data-label="What">
        <span
          ><span class="${action === 'sign-in-refused' && 'bad'}">${WORDS[action]}</span>${
            detail !== '' && detail !== key?.name && html` <bdi class="quiet">${detail}</bdi>`
          }</span
        >
      </td>
      <td data-label="Key">${key !== undefined && keyLink(key)}</td>
      <td data-label="From"><bdi class="mono">${address}</bdi></td>
    </tr>`
  }
  return table('What was done, newest first', ['When', 'What', 'Key', 'From'], entries.map(row), 'audit')
}

function keyLink(key: ApiKey): Html {
  return html`<span
    ><a class="clamped" href="${auditPath(key.id)}"><bdi>${key.name}</bdi></a>
    <code class="key">${maskKey(key.lastFour)}</code></span
  >`
}
