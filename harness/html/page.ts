// The frame of the judge's pages: a document whose policy allows only what it names, the top bar and the content.
import { htmlDocument, sourceOf } from './document.ts'
import { type Markup, markup, trusted } from './markup.ts'
import { pageScript } from './page-script.ts'
import { PAGE_STYLE } from './page-style.ts'

interface Document {
  readonly title: string
  /** The directives of the policy after `default-src 'none'`. */
  readonly policy: readonly string[]
  /** The elements at the end of the head. */
  readonly head: Markup
  /** The address of the page, if its relative links begin elsewhere. */
  readonly address?: string
  readonly bar: Markup
  readonly content: Markup
  /** The elements after the content. */
  readonly end: Markup
}

export function renderDocument({ title, policy, head, address = '', bar, content, end }: Document): string {
  const metas = markup`<meta http-equiv="Content-Security-Policy" content="${["default-src 'none'", ...policy].join('; ')}">
<meta name="referrer" content="no-referrer">
${head}`
  const body = markup`<header class="bar"><div>${bar}</div></header>
<main id="main">
${content}
</main>
${end}`
  return String(htmlDocument(markup`${title} · Touchstone`, metas, body, address))
}

interface Page extends Pick<Document, 'title' | 'content'> {
  readonly style: string
  /** The text at the right of the top bar. */
  readonly aside: Markup
  readonly script?: string
  /** More directives of the policy, for example for the requests of the script. */
  readonly allowed?: readonly string[]
}

/** A page in one file; its policy allows its own style and script, and the additions of `allowed`. */
export function renderPage({ title, style, aside, content, script = pageScript(), allowed = [] }: Page) {
  const css = PAGE_STYLE + style
  const own = [`style-src ${sourceOf(css)}`, `script-src ${sourceOf(script)}`]
  return renderDocument({
    title,
    policy: [...own, ...allowed, "base-uri 'none'", "form-action 'none'"],
    head: markup`<style>${trusted(css)}</style>`,
    bar: markup`<span class="brand">Touchstone</span><span class="aside">${aside}</span>`,
    content,
    end: markup`<script>${trusted(script)}</script>`,
  })
}
