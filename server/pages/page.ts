// The parts that all pages share: the headers that forbid all that a page does not need, the document, and a table.
import type { MiddlewareHandler } from 'hono'
import { html, raw } from 'hono/html'
import { secureHeaders } from 'hono/secure-headers'
import { type Html, htmlDocument } from '../../harness/html/document.ts'

type Policy = NonNullable<NonNullable<Parameters<typeof secureHeaders>[0]>['contentSecurityPolicy']>

/** A page loads nothing, is in no frame, and uses only what `policy` allows. */
export function pageHeaders(
  policy: Policy,
  referrerPolicy: 'no-referrer' | 'same-origin' = 'no-referrer',
): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      ...policy,
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
    xFrameOptions: 'DENY',
    referrerPolicy,
    // The operator of the proxy that ends TLS decides this.
    strictTransportSecurity: false,
  })
}

/** A whole document. The style is one piece, because its hash covers every character between the tags. */
export function page(title: string, style: string, body: Html): Html {
  return htmlDocument(title, raw(`<style>${style}</style>`), body)
}

/** A table in a card, with titles or complete heading cells. A caption is for screen readers. */
export function table(
  head: readonly (string | Html)[],
  rows: readonly Html[],
  className = '',
  caption?: string,
): Html {
  return html`<div class="table ${className}">
    <table>
      ${
        caption !== undefined &&
        html`<caption class="unseen">
          ${caption}
        </caption>`
      }
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
