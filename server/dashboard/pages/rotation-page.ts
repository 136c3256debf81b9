// A rotation: the old and the new key side by side, minute by minute, and whether the old key is safe to revoke (KEY-8).
import { html } from 'hono/html'
import { table } from '../../pages/page.ts'
import type { ApiKey } from '../../keys/key-store.ts'
import { auditPath, BASE, keyPath } from '../dashboard-paths.ts'
import {
  RANGES,
  REFRESHES,
  rotationAddress,
  type RotationQuery,
  type RotationVerdict,
  SILENCES,
  type Traffic,
} from '../data/key-rotation.ts'
import { total } from '../data/traffic.ts'
import { bars } from './charts.ts'
import { emptyCard, type Html, type Page, problemNote, select, terms } from './layout.ts'
import { ago, clock, count, dateTime, duration, keyLink, stateOf, whole } from './value-labels.ts'

/** The traffic of two keys, and whether the old one is safe to revoke. `now`: milliseconds since the epoch. */
interface Comparison {
  readonly traffic: Traffic
  readonly verdict: RotationVerdict
  readonly now: number
}

/** `keys` can be chosen; `shown` is the comparison of the chosen ones, or why they cannot be compared. */
export function rotationPage(
  query: RotationQuery,
  keys: readonly ApiKey[],
  shown?: Comparison | string,
): Page {
  return {
    title: 'Rotation',
    place: 'rotation',
    content: html`<h1>Rotation</h1>
      <p class="quiet">
        Create a new key, give it to the program that uses the old one, and revoke the old one when it is not
        used any more. Both work until then.
      </p>
      ${typeof shown === 'string' && problemNote(shown)}
      ${keys.length < 2 ? tooFew(keys) : chooser(query, keys)}
      ${typeof shown === 'object' && sides(shown, query)}`,
  }
}

function tooFew(keys: readonly ApiKey[]): Html {
  return emptyCard(
    keys.length === 0 ? 'No active key' : 'Only one active key',
    html`A rotation needs two keys: the old one and the new one.`,
    html`<a class="button main" href="${BASE}/keys/new">Create a key</a>`,
  )
}

function chooser(query: RotationQuery, keys: readonly ApiKey[]): Html {
  const choices = [
    ['', 'Choose a key'] as const,
    ...keys.map(({ id, name, lastFour }) => [id, `${choiceName(name)} · …${lastFour}`] as const),
  ]
  return html`<form class="filter" method="get" action="${BASE}/rotation">
    ${select('old', 'Old key', choices, query.old)} ${select('new', 'New key', choices, query.new)}
    ${select('silence', 'Safe after a silence of', Object.entries(SILENCES), query.silence)}
    ${select('range', 'Show the last', Object.entries(RANGES), query.range)}
    ${select('refresh', 'Reload', Object.entries(REFRESHES), query.refresh)}
    <button class="button main">Watch</button>
  </form>`
}

/** A shortened name for an option, between marks that isolate its text direction. */
function choiceName(name: string): string {
  const letters = [...name]
  return `\u2068${letters.length > 40 ? `${letters.slice(0, 40).join('')}…` : name}\u2069`
}

function sides({ traffic: { old, fresh, from }, verdict, now }: Comparison, query: RotationQuery): Html {
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
      As of ${dateTime(new Date(now), 'second')}. Both charts have the same scale.
      <a href="${rotationAddress(query)}">Reload</a>${
        query.refresh > 0 &&
        html` or <a href="${rotationAddress({ ...query, refresh: 0 })}">stop reloading</a>`
      }
    </p>
    <details>
      <summary>The numbers</summary>
      ${table(
        ['Minute (UTC)', 'Old key', 'New key'],
        old.minutes.map(minuteRow).toReversed(),
        'plain',
        'Requests in each minute, newest first',
      )}
    </details>`
}

function verdictNote(
  verdict: RotationVerdict,
  old: Traffic['old'],
  { silence }: RotationQuery,
  now: number,
): Html {
  const note = (style: string, title: string, text: string | Html, next: Html | false = false) =>
    html`<div class="note ${style}" role="status">
      <h2>${title}</h2>
      <p>${text}</p>
      ${next}
    </div>`
  const revoke = keyPath(old.key.id, 'revoke')
  const revokeAnyway = html`<a href="${revoke}">Revoke it anyway</a>`
  switch (verdict.kind) {
    case 'revoked':
      return note('', 'The old key is revoked', 'The rotation is done.')
    case 'new key revoked':
      return note(
        'bad',
        'The new key is revoked',
        'It does not work. Create another one before you revoke the old key.',
      )
    case 'new key unused':
      return note(
        '',
        'Not yet: the new key was never used',
        html`The old key is silent, but the new one is unused too: perhaps no program sends requests at all.
        ${revokeAnyway}`,
      )
    case 'in use':
      return note(
        'bad',
        'Not yet: the old key is in use',
        html`${
          old.usedAt === undefined
            ? html`It was created ${ago(verdict.silentSince, now)} and has never been used.`
            : html`Its last request was ${ago(verdict.silentSince, now)}.`
        }
        If it stays silent it is safe to revoke in ${duration(Math.max(1000, verdict.safeAt - now))}
        (${dateTime(new Date(Math.ceil(verdict.safeAt / 60_000) * 60_000))}). ${revokeAnyway}`,
      )
    case 'safe':
      return note(
        'good',
        'Safe to revoke',
        html`The old key has been silent for ${duration(now - verdict.silentSince)}, longer than the
        ${SILENCES[silence as keyof typeof SILENCES]} that you chose.`,
        html`<p><a class="button danger" href="${revoke}">Revoke the old key</a></p>`,
      )
  }
}

function side(
  title: string,
  { key, usedAt, minutes }: Traffic['old'],
  { max, from, now }: { max: number; from: number; now: number },
): Html {
  const sum = total(minutes)
  const label = `${count(sum, 'request')} in ${count(minutes.length, 'minute')}, at most ${whole(Math.max(...minutes))} in one`
  return html`<section class="card" aria-label="${title}">
    <h2>${title}</h2>
    <p class="who">${keyLink(key)} ${stateOf(key)}</p>
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
