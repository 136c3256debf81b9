// The frame of the judge's pages: one file that loads nothing, with a policy that allows only its own style and script.
import { hash } from 'node:crypto'
import { type Markup, markup, trusted } from './markup.ts'
import { PAGE_SCRIPT } from './page-script.ts'
import { PAGE_STYLE } from './page-style.ts'

export interface Page {
  readonly title: string
  readonly style: string
  /** Shown at the right of the top bar. */
  readonly aside: Markup
  readonly content: Markup
}

/** A page with the bar and the script of all pages. */
export function renderPage({ title, style, aside, content }: Page): string {
  const body = markup`<a class="skip" href="#main">Skip to the content</a>
<header class="bar"><div><span class="brand">Touchstone</span><span class="aside">${aside}</span></div></header>
<main id="main">
${content}
</main>`
  return renderDocument(title, style, body, PAGE_SCRIPT)
}

/** A whole document, whose policy allows its own style and script, and what `allowed` adds. */
export function renderDocument(
  title: string,
  style: string,
  body: Markup,
  script: string,
  ...allowed: readonly string[]
): string {
  const css = PAGE_STYLE + style
  const policy = [
    "default-src 'none'",
    `style-src '${sourceOf(css)}'`,
    `script-src '${sourceOf(script)}'`,
    ...allowed,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return String(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title} · Touchstone</title>
<style>${trusted(css)}</style>
</head>
<body>
${body}
<script>${trusted(script)}</script>
</body>
</html>
`)
}

/** The hash that allows a style or a script in the policy. */
function sourceOf(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`
}
