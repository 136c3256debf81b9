// The frame around every page. No page runs a script or loads anything: the policy below lets a browser do neither.
import { hash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { fields, pageElements } from './page-elements.ts'
import { style } from './style.ts'

/** What `hono/html` makes; every value put into it is escaped. */
export type Html = ReturnType<typeof html>

/** Where the dashboard is mounted. */
export const BASE = '/dashboard'

/** The only style that a page may have, as a `style-src` of the content security policy. */
export const STYLE_SOURCE = `'sha256-${hash('sha256', style, 'base64')}'`

/** In one piece, since the hash is that of every character between the tags. */
const styleElement = raw(`<style>${style}</style>`)

export interface Frame {
  readonly title: string
  readonly content: Html
  /** The token of the session, where somebody is signed in. */
  readonly csrf?: string | undefined
}

/** A whole document. */
export function frame({ title, content, csrf }: Frame): Html {
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
            ${csrf !== undefined && signOutForm(csrf)}
          </div>
        </header>
        <main id="main">${content}</main>
      </body>
    </html>`
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
