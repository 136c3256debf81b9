// The frame around every page. A page loads nothing, and the only script there is copies a secret that was just made:
// the policy below lets a browser do no more.
import { hash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { copyScript } from './copy-script.ts'
import { fields, pageElements } from './page-elements.ts'
import { style } from './style.ts'

/** What `hono/html` makes; every value put into it is escaped. */
export type Html = ReturnType<typeof html>

/** Where the dashboard is mounted. */
export const BASE = '/dashboard'

/** The only style and the only script that a page may have, as sources of the content security policy. */
export const STYLE_SOURCE = sourceOf(style)
export const SCRIPT_SOURCE = sourceOf(copyScript)

/** In one piece, since the hash is that of every character between the tags. */
const styleElement = raw(`<style>${style}</style>`)
const scriptElement = raw(`<script>${copyScript}</script>`)

function sourceOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`
}

const PLACES = {
  keys: ['Keys', BASE],
  rotation: ['Rotation', `${BASE}/rotation`],
  audit: ['Audit log', `${BASE}/audit`],
  password: ['Password', `${BASE}/password`],
} as const

export interface Frame {
  readonly title: string
  readonly content: Html
  /** The token of the session, where somebody is signed in. */
  readonly csrf?: string | undefined
  /** Where in the dashboard the page is. */
  readonly place?: keyof typeof PLACES
  /** Whether the page has the script that copies a secret. */
  readonly copies?: boolean
}

/** A whole document. */
export function frame({ title, content, csrf, place, copies = false }: Frame): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Touchstone</title>
        ${styleElement}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="bar">
          <div>
            <a class="brand" href="${BASE}">Touchstone</a>
            ${csrf !== undefined && html`${navigation(place)} ${signOutForm(csrf)}`}
          </div>
        </header>
        <main id="main" tabindex="-1">${content}</main>
        ${copies && scriptElement}
      </body>
    </html>`
}

function navigation(place: Frame['place']): Html {
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

/** A hidden field; programs read it as it stands here. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`
}

/** What went wrong, marked so that programs find it. */
export function problemNote(message: string): Html {
  return html`<p class="note bad" role="alert" ${raw(pageElements.problem)}>${message}</p>`
}

/** A choice of one in a form; `options` is what each value is called. */
export function select(
  { id, name, label }: { id: string; name: string; label: string },
  options: readonly (readonly [value: string, text: string])[],
  chosen: string,
): Html {
  return html`<div>
    <label class="title" for="${id}">${label}</label>
    <select id="${id}" name="${name}">
      ${options.map(
        ([value, text]) =>
          html`<option value="${value}" ${value === chosen && html`selected`}>${text}</option>`,
      )}
    </select>
  </div>`
}

/** A table in a card. `head` holds titles, or whole heading cells; `rows` whole rows. */
export function table(
  caption: string,
  head: readonly (string | Html)[],
  rows: readonly Html[],
  className = '',
): Html {
  return html`<div class="table ${className}">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head.map((cell) => (typeof cell === 'string' ? html`<th scope="col">${cell}</th>` : cell))}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`
}

/** A list of terms and what each stands for. */
export function terms(pairs: readonly (readonly [term: string, value: string | Html])[]): Html {
  return html`<dl>
    ${pairs.map(
      ([term, value]) =>
        html`<dt>${term}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}
