// The frame of the judge's pages: a document whose policy allows only what it names, the top bar and the content.
import { hash } from 'node:crypto'
import { type Markup, markup, trusted } from './markup.ts'
import { pageScript } from './page-script.ts'
import { PAGE_STYLE } from './page-style.ts'

export interface Document {
  readonly title: string
  /** The directives of the policy after `default-src 'none'`. */
  readonly policy: readonly string[]
  /** The elements at the end of the head. */
  readonly head: Markup
  readonly body: Markup
}

export function renderDocument({ title, policy, head, body }: Document): string {
  return String(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${["default-src 'none'", ...policy].join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title} · Touchstone</title>
${head}
</head>
<body>
${body}
</body>
</html>
`)
}

export interface Frame {
  /** The address of the page, if relative links of the document begin elsewhere. */
  readonly address?: string
  readonly bar: Markup
  readonly content: Markup
  readonly foot?: Markup
}

/** The body of a page: a link to the content, the bar, the content, and the footer. */
export function renderFrame({ address = '', bar, content, foot }: Frame): Markup {
  return markup`<a class="skip" href="${address}#main">Skip to the content</a>
<header class="bar"><div>${bar}</div></header>
<main id="main">
${content}
</main>
${foot}`
}

export interface Page {
  readonly title: string
  readonly style: string
  /** Shown at the right of the top bar. */
  readonly aside: Markup
  readonly content: Markup
}

/** A page in one file, with the bar and the script of all such pages. */
export function renderPage({ title, style, aside, content }: Page): string {
  const bar = markup`<span class="brand">Touchstone</span><span class="aside">${aside}</span>`
  return renderSingleFile(title, style, renderFrame({ bar, content }), pageScript())
}

/** A document that loads nothing; its policy allows its own style and script, and what `allowed` adds. */
export function renderSingleFile(
  title: string,
  style: string,
  body: Markup,
  script: string,
  ...allowed: readonly string[]
): string {
  const css = PAGE_STYLE + style
  return renderDocument({
    title,
    policy: [
      `style-src '${sourceOf(css)}'`,
      `script-src '${sourceOf(script)}'`,
      ...allowed,
      "base-uri 'none'",
      "form-action 'none'",
    ],
    head: markup`<style>${trusted(css)}</style>`,
    body: markup`${body}
<script>${trusted(script)}</script>`,
  })
}

/** The hash that allows a style or a script in the policy. */
function sourceOf(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`
}
