// A rotation on one page: the old key and the new one side by side, minute by minute, and whether the old one may
// go (KEY-8).
import { html } from 'hono/html'
import { maskKey } from '../../../spec/protocol/key.ts'
import type { ApiKey } from '../../keys/key-store.ts'
import { BASE, frame, type Html, select, table, terms } from './layout.ts'
import { auditPath, keyPath, revokePath } from './paths.ts'
import {
  RANGES,
  REFRESHES,
  type RotationQuery,
  rotationParams,
  type RotationVerdict,
  SILENCES,
} from '../routes/rotation.ts'
import type { Session } from '../session/session.ts'
import { bars, total } from '../routes/traffic.ts'
import { ago, clock, count, dateTime, duration, exactTime, stateOf, whole } from './labels.ts'

export interface RotationPage {
  readonly session: Session
  readonly query: RotationQuery
  /** Those that can be chosen. */
  readonly keys: readonly ApiKey[]
  /** Undefined where no two keys are chosen yet. */
  readonly shown: RotationSides | undefined
  /** Why the two that were chosen cannot be shown. */
  readonly problem: string | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface RotationSides {
  readonly old: RotationSide
  readonly fresh: RotationSide
  readonly verdict: RotationVerdict
  /** The first minute that is drawn, since the epoch. */
  readonly from: number
}

export interface RotationSide {
  readonly key: ApiKey
  /** Milliseconds since the epoch. */
  readonly usedAt: number | undefined
  /** Requests in each minute, oldest first. */
  readonly minutes: readonly number[]
}

export function rotationPage({ session, query, keys, shown, problem, now }: RotationPage): Html {
  return frame({
    title: 'Rotation',
    place: 'rotation',
    csrf: session.csrf,
    content: html`<h1>Rotation</h1>
      <p class="quiet">
        Create a new key, hand it to the program that has the old one, and revoke the old one when it is
        silent. Both work until then.
      </p>
      ${problem !== undefined && html`<p class="note bad" role="alert">${problem}</p>`}
      ${keys.length < 2 ? tooFew(keys) : chooser(query, keys)}
      ${shown !== undefined && sides(shown, query, now)}`,
  })
}

function tooFew(keys: readonly ApiKey[]): Html {
  return html`<div class="card empty">
    <h2>${keys.length === 0 ? 'No active key' : 'Only one active key'}</h2>
    <p>A rotation takes two: the one that goes and the one that comes.</p>
    <a class="button main" href="${BASE}/keys/new">Create a key</a>
  </div>`
}

function chooser({ oldId, freshId, silence, range, refresh }: RotationQuery, keys: readonly ApiKey[]): Html {
  const choices = [
    ['', 'Choose a key'] as const,
    ...keys.map(({ id, name, lastFour }) => [id, `${choiceName(name)} · …${lastFour}`] as const),
  ]
  return html`<form class="filter" method="get" action="${BASE}/rotation">
    ${select({ id: 'old', name: rotationParams.old, label: 'Old key' }, choices, oldId)}
    ${select({ id: 'new', name: rotationParams.fresh, label: 'New key' }, choices, freshId)}
    ${select(
      { id: 'silence', name: rotationParams.silence, label: 'Safe after a silence of' },
      Object.entries(SILENCES),
      String(silence),
    )}
    ${select(
      { id: 'range', name: rotationParams.range, label: 'Show the last' },
      Object.entries(RANGES),
      String(range),
    )}
    ${select(
      { id: 'refresh', name: rotationParams.refresh, label: 'Load again' },
      Object.entries(REFRESHES),
      String(refresh),
    )}
    <button class="button main">Watch</button>
  </form>`
}

/** A name in a list of choices, not too wide, and between the marks that keep its direction to itself. */
function choiceName(name: string): string {
  const letters = [...name]
  return `\u2068${letters.length > 40 ? `${letters.slice(0, 40).join('')}…` : name}\u2069`
}

function sides({ old, fresh, verdict, from }: RotationSides, query: RotationQuery, now: number): Html {
  const max = Math.max(1, ...old.minutes, ...fresh.minutes)
  const minuteRow = (requests: number, at: number) =>
    html`<tr>
      <th scope="row">${clock(from + at)}</th>
      <td>${whole(requests)}</td>
      <td>${whole(fresh.minutes[at] ?? 0)}</td>
    </tr>`
  return html`${verdictNote(verdict, old, query, now)}
    <div class="sides">
      ${side('Old key', old, { max, from, now })} ${side('New key', fresh, { max, from, now })}
    </div>
    <p class="quiet">
      As of ${exactTime(new Date(now))}; both drawings have the same scale.
      <a href="${rotationAddress(query)}">Load again</a>${
        query.refresh > 0 &&
        html` or <a href="${rotationAddress({ ...query, refresh: 0 })}">stop loading again by itself</a>`
      }
    </p>
    <details>
      <summary>The numbers</summary>
      ${table(
        'Requests in each minute, newest first',
        ['Minute (UTC)', 'Old key', 'New key'],
        old.minutes.map(minuteRow).toReversed(),
        'plain',
      )}
    </details>`
}

function verdictNote(
  verdict: RotationVerdict,
  old: RotationSide,
  { silence }: RotationQuery,
  now: number,
): Html {
  const revokeAnyway = html`<a href="${revokePath(old.key.id)}">Revoke it anyway</a>`
  switch (verdict.kind) {
    case 'revoked':
      return html`<div class="note" role="status">
        <h2>The old key is revoked</h2>
        <p>The rotation is done.</p>
      </div>`
    case 'new key revoked':
      return html`<div class="note bad" role="status">
        <h2>The new key is revoked</h2>
        <p>It does not work. Create another one before the old key goes.</p>
      </div>`
    case 'new key unused':
      return html`<div class="note" role="status">
        <h2>Not yet: the new key was never used</h2>
        <p>
          The old key is silent, but nobody has come to the new one either: it may be everybody who is silent.
          ${revokeAnyway}
        </p>
      </div>`
    case 'in use':
      return html`<div class="note bad" role="status">
        <h2>Not yet: the old key is in use</h2>
        <p>
          ${
            old.usedAt === undefined
              ? html`It was made ${ago(verdict.silentSince, now)} and never used since.`
              : html`Its last request came ${ago(verdict.silentSince, now)}.`
          }
          If it stays silent it is safe to revoke in ${duration(Math.max(1000, verdict.safeAt - now))}
          (${dateTime(new Date(Math.ceil(verdict.safeAt / 60_000) * 60_000))}). ${revokeAnyway}
        </p>
      </div>`
    case 'safe':
      return html`<div class="note good" role="status">
        <h2>Safe to revoke</h2>
        <p>
          The old key has been silent for ${duration(now - verdict.silentSince)}, longer than the
          ${SILENCES[silence as keyof typeof SILENCES]} that you chose.
        </p>
        <p><a class="button danger" href="${revokePath(old.key.id)}">Revoke the old key</a></p>
      </div>`
  }
}

function side(
  title: string,
  { key, usedAt, minutes }: RotationSide,
  { max, from, now }: { max: number; from: number; now: number },
): Html {
  const sum = total(minutes)
  const label = `${count(sum, 'request')} in ${count(minutes.length, 'minute')}, at most ${whole(Math.max(...minutes))} in one`
  return html`<section class="card" aria-label="${title}">
    <h2>${title}</h2>
    <p class="who">
      <a href="${keyPath(key.id)}"><bdi>${key.name}</bdi></a>
      <code class="key">${maskKey(key.lastFour)}</code>
      ${stateOf(key)}
    </p>
    ${terms([
      ['Last used', ago(usedAt, now)],
      ['Requests shown', whole(sum)],
      ['In this minute', whole(minutes.at(-1) ?? 0)],
    ])}
    <figure>
      ${bars({ values: minutes, max, label, className: 'chart' })}
      <figcaption>
        <span>${clock(from)}</span><span>highest: ${whole(max)} per minute</span
        ><span>${clock(from + minutes.length - 1)} UTC</span>
      </figcaption>
    </figure>
    <p class="quiet"><a href="${auditPath(key.id)}">Audit log of this key</a></p>
  </section>`
}

export function rotationAddress({ oldId, freshId, silence, range, refresh }: RotationQuery): string {
  return `${BASE}/rotation?${new URLSearchParams({
    [rotationParams.old]: oldId,
    [rotationParams.fresh]: freshId,
    [rotationParams.silence]: String(silence),
    [rotationParams.range]: String(range),
    [rotationParams.refresh]: String(refresh),
  })}`
}
