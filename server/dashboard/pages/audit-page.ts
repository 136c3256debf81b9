// The audit log: what operators did, when, and from which address.
import { html } from 'hono/html'
import { table } from '../../pages/page.ts'
import type { ApiKey } from '../../keys/key-store.ts'
import type { AuditEntry } from '../../keys/stored-audit.ts'
import { auditPath, BASE } from '../dashboard-paths.ts'
import { emptyCard, type Html, type Page } from './layout.ts'
import { dateTime, keyLink } from './value-labels.ts'

const LABELS: Readonly<Record<AuditEntry['action'], string>> = {
  'sign-in': 'Signed in',
  'sign-in-refused': 'Sign-in refused',
  'sign-out': 'Signed out',
  'key-created': 'Created a key',
  'key-revoked': 'Revoked a key',
  'key-deleted': 'Deleted a key',
  'password-changed': 'Changed the password',
}

/**
 * `entries` are the newest first, of the key with the id `keyId` if it is given; `keys` are those that were not deleted, by
 * id. `more` is the length of a longer list, if there is one.
 */
export function auditPage(
  entries: readonly AuditEntry[],
  keys: ReadonlyMap<string, ApiKey>,
  keyId: string | undefined,
  more: number | undefined,
): Page {
  const key = keyId === undefined ? undefined : keys.get(keyId)
  return {
    title: 'Audit log',
    place: 'audit',
    content: html`<h1>Audit log</h1>
      <p class="quiet">What operators did, and every refused sign-in. Newest first, in UTC.</p>
      ${
        keyId !== undefined &&
        html`<p class="note">
          Only entries about
          ${
            key === undefined
              ? html`<code><bdi>${keyId.slice(0, 80)}</bdi></code
                  >, which is deleted or not a key of this service`
              : keyLink(key)
          }.
          <a href="${BASE}/audit">Show all entries</a>
        </p>`
      }
      ${
        entries.length === 0
          ? emptyCard('No entries', html`There are no entries of this kind yet.`)
          : entryTable(entries, keys)
      }
      ${
        more !== undefined &&
        html`<p class="actions">
          <a class="button" href="${addressOf(keyId, more)}">Show older entries</a>
        </p>`
      }`,
  }
}

function addressOf(keyId: string | undefined, limit: number): string {
  return `${BASE}/audit?${new URLSearchParams({ ...(keyId !== undefined && { key: keyId }), show: String(limit) })}`
}

function entryTable(entries: readonly AuditEntry[], keys: ReadonlyMap<string, ApiKey>): Html {
  const row = ({ at, action, address, keyId, detail }: AuditEntry) => {
    const key = keyId === null ? undefined : keys.get(keyId)
    return html`<tr>
      <td data-label="When">${dateTime(new Date(at), 'second')}</td>
      <td data-label="What">
        <span
          ><span class="${action === 'sign-in-refused' && 'bad'}">${LABELS[action]}</span>${
            detail !== '' && detail !== key?.name && html` <bdi class="quiet">${detail}</bdi>`
          }</span
        >
      </td>
      <td data-label="Key">
        ${key !== undefined && html`<span>${keyLink(key, 'clamped', auditPath(key.id))}</span>`}
      </td>
      <td data-label="From"><bdi class="mono">${address}</bdi></td>
    </tr>`
  }
  return table(['When', 'What', 'Key', 'From'], entries.map(row), 'audit', 'Audit log, newest first')
}
