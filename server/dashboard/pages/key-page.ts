// One key: state, limits and traffic.
import { html } from 'hono/html'
import { maskKey } from '../../../spec/protocol/key.ts'
import type { ApiKey } from '../../keys/key-store.ts'
import { auditPath, BASE, keyPath, rotationPath } from '../dashboard-paths.ts'
import { type KeyUse, total } from '../data/traffic.ts'
import { bars } from './charts.ts'
import { type Html, type Page, type Shown, terms } from './layout.ts'
import { ago, clock, count, dateTime, limitsOf, modelsOf, stateOf, whole } from './value-labels.ts'

export interface KeyPage extends Shown {
  readonly key: ApiKey
  readonly use: KeyUse
}

export function keyPage({ key, use, served, rateLimit, now }: KeyPage): Page {
  const sum = total(use.hours)
  const most = Math.max(...use.hours)
  return {
    title: 'Key',
    place: 'keys',
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
          Its secret was shown once, at creation. If it is lost, create a new key and revoke this one.
        </p>
      </section>
      <div class="actions">
        ${
          key.revokedAt === null &&
          html`<a class="button" href="${rotationPath(key.id)}">Replace by another key</a>
            <a class="button risky" href="${keyPath(key.id, 'revoke')}">Revoke</a>`
        }
        <a class="button risky" href="${keyPath(key.id, 'delete')}">Delete</a>
        <a class="button" href="${auditPath(key.id)}">Audit log of this key</a>
        <a href="${BASE}">Back to the keys</a>
      </div>
    </div>`,
  }
}

/** The last use of a key, as terms and values. */
export function lately({ usedAt, lately }: KeyUse, now: number): [term: string, value: string | Html][] {
  return [
    ['Last used', ago(usedAt, now)],
    ['Last 5 minutes', count(lately[5], 'request')],
    ['Last 15 minutes', count(lately[15], 'request')],
    ['Last hour', count(lately[60], 'request')],
  ]
}
