// One key: what it is, what it may do, who uses it; and the question before it is revoked.
import { html } from 'hono/html'
import { maskKey } from '../../../spec/protocol/key.ts'
import type { ApiKey } from '../../keys/key-store.ts'
import type { DefaultLimits } from '../../limits/limit-rate.ts'
import { BASE, frame, hidden, type Html, terms } from './layout.ts'
import { fields } from './page-elements.ts'
import { auditPath, revokePath, rotationPath } from './paths.ts'
import type { Session } from '../session/session.ts'
import { bars, total } from '../routes/traffic.ts'
import { ago, clock, count, dateTime, limitsOf, modelsOf, stateOf, whole } from './labels.ts'

/** What one key was used for. */
export interface KeyUse {
  /** Milliseconds since the epoch. */
  readonly usedAt: number | undefined
  /** Requests and tokens in each of the last 24 hours, and the minute at which the first one begins. */
  readonly hours: readonly number[]
  readonly tokens: number
  readonly from: number
  /** Requests in the last minutes. */
  readonly lately: Readonly<Record<5 | 15 | 60, number>>
}

export interface KeyPage {
  readonly key: ApiKey
  readonly use: KeyUse
  readonly session: Session
  readonly served: readonly string[]
  readonly rateLimit: DefaultLimits
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Everything that is known of a key. */
export function keyPage({ key, use, session, served, rateLimit, now }: KeyPage): Html {
  const sum = total(use.hours)
  const most = Math.max(...use.hours)
  return frame({
    title: 'Key',
    place: 'keys',
    csrf: session.csrf,
    content: html`<div class="column">
      <h1><bdi>${key.name}</bdi></h1>
      <p class="who"><code class="key">${maskKey(key.lastFour)}</code> ${stateOf(key)}</p>
      <section class="card">
        <h2>Requests in 24 hours</h2>
        <figure>
          ${bars({
            values: use.hours,
            max: Math.max(1, most),
            label: `${count(sum, 'request')} in 24 hours, at most ${whole(most)} in one`,
            className: 'chart',
          })}
          <figcaption>
            <span>${clock(use.from)}</span><span>highest: ${whole(most)} per hour</span><span>now</span>
          </figcaption>
        </figure>
        ${terms([['Requests', whole(sum)], ['Tokens', whole(use.tokens)], ...lately(use, now)])}
      </section>
      <section class="card">
        <h2>About this key</h2>
        ${terms([
          ['Id', html`<code>${key.id}</code>`],
          ['Created', dateTime(key.createdAt)],
          ['Models', modelsOf(key, served)],
          ['Limits', limitsOf(key, rateLimit)],
        ])}
        <p class="quiet">
          Its secret was shown once, when it was made. If it is lost, create a new key and revoke this one.
        </p>
      </section>
      <div class="actions">
        ${
          key.revokedAt === null &&
          html`<a class="button" href="${rotationPath(key.id)}">Replace by another key</a>
            <a class="button" href="${revokePath(key.id)}">Revoke</a>`
        }
        <a class="button" href="${auditPath(key.id)}">Audit log of this key</a>
        <a href="${BASE}">Back to the keys</a>
      </div>
    </div>`,
  })
}

function lately({ usedAt, lately }: KeyUse, now: number): [term: string, value: string | Html][] {
  return [
    ['Last used', ago(usedAt, now)],
    ['Last 5 minutes', count(lately[5], 'request')],
    ['Last 15 minutes', count(lately[15], 'request')],
    ['Last hour', count(lately[60], 'request')],
  ]
}

export type RevokePage = Pick<KeyPage, 'key' | 'use' | 'session' | 'now'>

/** Asks before a key is revoked, and says what still uses it (KEY-8). */
export function revokePage({ key, use, session, now }: RevokePage): Html {
  const inUse = use.lately[15] > 0
  return frame({
    title: 'Revoke a key',
    place: 'keys',
    csrf: session.csrf,
    content: html`<div class="column">
      <h1>Revoke <bdi>${key.name}</bdi>?</h1>
      <p class="quiet">
        The next request with this key gets a 401; a stream in flight is finished. A revoked key never works
        again: whoever still needs one has to get a new one first.
      </p>
      ${
        inUse
          ? html`<p class="note bad">
              <strong>This key is in use:</strong> ${count(use.lately[15], 'request')} in the last 15 minutes.
              Whatever sends them will fail at once.
              <a href="${rotationPath(key.id)}">Replace it by another key</a> first.
            </p>`
          : html`<p class="note">No request in the last 15 minutes.</p>`
      }
      <div class="card">
        ${terms([
          ['Key', html`<code>${maskKey(key.lastFour)}</code>`],
          ['Created', dateTime(key.createdAt)],
          ...lately(use, now),
          ['Last 24 hours', count(total(use.hours), 'request')],
        ])}
        <form class="actions" method="post" action="${revokePath(key.id)}">
          ${hidden(fields.csrf, session.csrf)}
          <button class="button danger">Revoke this key</button>
          <a class="button" href="${BASE}">Keep it</a>
        </form>
      </div>
    </div>`,
  })
}
