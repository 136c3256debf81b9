// The frame of every page. A page loads nothing; the only script copies a new secret. The policy allows no more.
import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { DefaultLimits } from '../../limits/limit-rate.ts'
import { type Html, sourceOf } from '../../../harness/html/document.ts'
import { page } from '../../pages/page.ts'
import { copyScript } from './copy-script.ts'
import { BASE } from '../dashboard-paths.ts'
import { fields } from '../form-fields.ts'
import type { Session } from '../session/session.ts'
import { style } from './dashboard-style.ts'

export type { Html }

/** The only style and the only script that a page may have, as sources of the content security policy. */
export const STYLE_SOURCE = sourceOf(style)
export const SCRIPT_SOURCE = sourceOf(copyScript)

/** One piece, because the hash covers every character between the tags. */
const scriptElement = raw(`<script>${copyScript}</script>`)

const PLACES = {
  keys: ['Keys', BASE],
  rotation: ['Rotation', `${BASE}/rotation`],
  audit: ['Audit log', `${BASE}/audit`],
  password: ['Password', `${BASE}/password`],
} as const

export interface Page {
  readonly title: string
  readonly content: Html
  /** The current entry of the navigation. */
  readonly place?: keyof typeof PLACES
  /** Whether the page includes the script that copies a secret. */
  readonly copies?: boolean
}

/** The values that the pages of a signed-in operator show. */
export interface Shown {
  readonly csrf: string
  /** The ids of the served models. */
  readonly served: readonly string[]
  /** The limits of keys without their own. */
  readonly rateLimit: DefaultLimits
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Answers with a whole document; with the navigation, if the operator is signed in. */
export function show(
  c: Context,
  { title, content, place, copies = false }: Page,
  status?: ContentfulStatusCode,
) {
  const session: Session | undefined = c.get('session')
  const body = html`<header class="bar">
      <div>
        <a class="brand" href="${BASE}">Touchstone</a>
        ${session !== undefined && html`${navigation(place)} ${signOutForm(session.csrf)}`}
      </div>
    </header>
    <main id="main" tabindex="-1">${content}</main>
    ${copies && scriptElement}`
  return c.html(page(`${title} · Touchstone`, style, body), status)
}

function navigation(place: Page['place']): Html {
  return html`<nav aria-label="Dashboard">
    ${Object.entries(PLACES).map(
      ([name, [title, path]]) =>
        html`<a href="${path}" ${name === place && html`aria-current="page"`}>${title}</a>`,
    )}
  </nav>`
}

function signOutForm(csrf: string): Html {
  return html`<form method="post" action="${BASE}/sign-out">
    ${hidden(fields.csrf, csrf)}<button class="button small">Sign out</button>
  </form>`
}

/** A hidden form field. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`
}

/** A labelled input with its hint; `attributes` are further ones of the input. */
export function field(
  { id, name, label, hint }: { id: string; name: string; label: string; hint?: string | Html },
  attributes: Html,
): Html {
  return html`<div class="field">
    <label class="title" for="${id}">${label}</label>
    ${hint !== undefined && html`<span class="hint" id="${id}-hint">${hint}</span>`}
    <input
      id="${id}"
      name="${name}"
      ${hint !== undefined && html`aria-describedby="${id}-hint"`}
      ${attributes}
      required
    />
  </div>`
}

/** A note about a problem. */
export function problemNote(message: string): Html {
  return html`<p class="note bad" role="alert">${message}</p>`
}

/** A note about a success. */
export function successNote(message: string | Html): Html {
  return html`<p class="note good" role="status">${message}</p>`
}

/** A card instead of a list without entries, with the next step. */
export function emptyCard(title: string, text: Html, next: Html | false = false): Html {
  return html`<div class="card empty">
    <h2>${title}</h2>
    <p>${text}</p>
    ${next}
  </div>`
}

/** A labelled selection of one option. `name` is that of its query parameter, and its id. */
export function select(
  name: string,
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string | number,
): Html {
  return html`<div>
    <label class="title" for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      ${options.map(
        ([value, text]) =>
          html`<option value="${value}" ${value === String(chosen) && html`selected`}>${text}</option>`,
      )}
    </select>
  </div>`
}

/** A description list. */
export function terms(pairs: readonly (readonly [term: string, value: string | Html])[]): Html {
  return html`<dl>
    ${pairs.map(
      ([term, value]) =>
        html`<dt>${term}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}
