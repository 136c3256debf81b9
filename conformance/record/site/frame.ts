// The frame of every page of the site: a policy that allows only files of the site, the navigation and the footer.
import { type Markup, markup } from '../../../harness/html/markup.ts'
import { renderDocument } from '../../../harness/html/page.ts'
import { COMPARE, ENGINES, PAIRS, REQUIREMENTS, SEARCH } from './addresses.ts'

export interface SitePage {
  readonly title: string
  /** The address, relative to the root of the site. */
  readonly address: string
  readonly content: Markup
}

/** The address of a page, or of a part of it, in a link of a site. The address of the base stays a folder. */
const TO_PAGE = /(?<=<(?:a|form)\b[^>]* (?:href|action)=")(?!\w+:)((?:[^"#?]*\/)?)(?=["#?])/g

/**
 * A whole document. `date` is the day of the build. Each link names its file, because a browser that opens the site from a disk
 * shows the list of a folder.
 */
export function renderSitePage({ title, address, content }: SitePage, date: string): string {
  const document = renderDocument({
    title,
    policy: ['style-src', 'script-src', 'img-src', 'base-uri', 'form-action'].map((name) => `${name} 'self'`),
    head: markup`<base href="${'../'.repeat(address.split('/').length - 1) || './'}">
<link rel="icon" type="image/svg+xml" href="icon.svg">
<link rel="stylesheet" href="style.css">
<script src="site.js" defer></script>`,
    address,
    bar: markup`<a class="brand" href="./">Touchstone</a>
<nav aria-label="Site"><a href="./">Results</a> <a href="${REQUIREMENTS}">Requirements</a> <a href="${COMPARE}">Compare</a> <a href="${PAIRS}">Pairs</a> <a href="${ENGINES}">Engines</a></nav>
<form class="find" role="search" action="${SEARCH}"><label><span class="visually-hidden">Search the site</span><input class="search" type="search" name="q" placeholder="Search" autocomplete="off"></label></form>`,
    content,
    end: markup`<footer class="foot"><p>Built on <time datetime="${date}">${date}</time>. Data: <a href="results.json">results.json</a>. Each result is about one version on one day; its page shows the commands that repeat it.</p></footer>`,
  })
  return document.replace(TO_PAGE, (folder) => `${folder === './' ? '' : folder || address}index.html`)
}
