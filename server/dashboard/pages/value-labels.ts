// Times, numbers and limits as text. Times are in UTC.
import { html } from 'hono/html'
import { maskKey } from '../../../spec/protocol/key.ts'
import type { ApiKey } from '../../keys/key-store.ts'
import type { DefaultLimits } from '../../limits/limit-rate.ts'
import { keyPath } from '../dashboard-paths.ts'
import type { Html } from './layout.ts'

/** A point in time, to the minute or the second. */
export function dateTime(date: Date, to: 'minute' | 'second' = 'minute'): Html {
  const iso = date.toISOString()
  return html`<time datetime="${iso}"
    ><span>${iso.slice(0, 10)}</span> <span>${iso.slice(11, to === 'minute' ? 16 : 19)} UTC</span></time
  >`
}

/** The time since `time`, with the exact time as a tooltip. Both in milliseconds since the epoch. */
export function ago(time: number | undefined, now: number): Html {
  if (time === undefined) return html`<span class="quiet">never</span>`
  const iso = new Date(time).toISOString()
  return html`<time datetime="${iso}" title="${iso.slice(0, 19).replace('T', ' ')} UTC"
    >${duration(now - time)} ago</time
  >`
}

const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
] as const

/** Milliseconds in the largest unit that fits, rounded down. */
export function duration(milliseconds: number): string {
  const [size, unit] = UNITS.find(([size]) => milliseconds >= size) ?? [1000, 'second']
  return count(Math.max(0, Math.floor(milliseconds / size)), unit)
}

/** `1 request` or `1,200 requests`. */
export function count(number: number, unit: string): string {
  return `${whole(number)} ${unit}${number === 1 ? '' : 's'}`
}

export function whole(number: number): string {
  return number.toLocaleString('en')
}

/** Hours and minutes, UTC, of a minute since the epoch. */
export function clock(minute: number): string {
  return new Date(minute * 60_000).toISOString().slice(11, 16)
}

/** The limits of a key; defaults are marked as the server's own. */
export function limitsOf(key: ApiKey, defaults: DefaultLimits): Html {
  const { requests, windowSeconds } = key.limit ?? defaults
  const item = (text: string, own: unknown) =>
    html`<li>${text}${own === null && html` <span class="quiet">(server’s own)</span>`}</li>`
  const concurrency = key.concurrency ?? defaults.concurrency
  const tokens = key.tokensPerMinute ?? defaults.tokensPerMinute
  return html`<ul class="limits">
    ${item(`${whole(requests)} per ${windowSeconds} s`, key.limit)}
    ${concurrency !== null && item(`${whole(concurrency)} concurrent`, key.concurrency)}
    ${tokens !== null && item(`${count(tokens, 'token')}/min`, key.tokensPerMinute)}
  </ul>`
}

/** The models that a key may use, marked if they are not served now. */
export function modelsOf(key: ApiKey, served: readonly string[]): Html {
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

/** The name of a key as a link, by default to its page, and its masked secret. */
export function keyLink({ id, name, lastFour }: ApiKey, className = '', path = keyPath(id)): Html {
  return html`<a class="${className}" href="${path}"><bdi>${name}</bdi></a>
    <code class="key">${maskKey(lastFour)}</code>`
}

/** The state of a key, and when it was revoked. */
export function stateOf(key: ApiKey): Html {
  if (key.isDamaged && key.revokedAt === null) return html`<span class="state revoked">damaged</span>`
  return key.revokedAt === null
    ? html`<span class="state">active</span>`
    : html`<span><span class="state revoked">revoked</span> ${dateTime(key.revokedAt)}</span>`
}
