// The document of every page: of the server, the judge and the load tests.
import { hash } from 'node:crypto'
import { html } from 'hono/html'

/** The result of `hono/html`, which escapes every value. */
export type Html = ReturnType<typeof html>

/** Returns a document. `head` is the end of its head, `address` the base of its relative links if that is another page. */
export function htmlDocument(title: string | Html, head: Html, body: Html, address = ''): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${head}
      </head>
      <body>
        <a class="skip" href="${address}#main">Skip to the content</a>
        ${body}
      </body>
    </html> `
}

/** The source of an inline style or script in a content security policy. */
export function sourceOf(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`
}
