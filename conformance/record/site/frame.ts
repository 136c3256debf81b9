// The frame of every page: the head with a policy that allows only files of the site, the navigation and the footer.
import { type Markup, markup } from '../../../harness/html/markup.ts'
import { COMPARE, REQUIREMENTS, SEARCH } from './addresses.ts'

export interface Page {
  readonly title: string
  /** The address, relative to the root of the site. */
  readonly address: string
  readonly content: Markup
}

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'self'; form-action 'self'"

/** A whole document. `date` is the day of the build. */
export function renderPage({ title, address, content }: Page, date: string): string {
  const base = '../'.repeat(address.split('/').length - 1) || './'
  return String(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title} · Touchstone</title>
<base href="${base}">
<link rel="icon" type="image/svg+xml" href="icon.svg">
<link rel="stylesheet" href="style.css">
<link rel="alternate" type="application/atom+xml" title="Results" href="feed.xml">
<script src="site.js" defer></script>
</head>
<body>
<a class="skip" href="${address}#main">Skip to the content</a>
<header class="bar"><div>
<a class="brand" href="./">Touchstone</a>
<nav aria-label="Site"><a href="./">Results</a> <a href="${REQUIREMENTS}">Requirements</a> <a href="${COMPARE}">Compare</a></nav>
<form class="find" role="search" action="${SEARCH}"><label><span class="vh">Search the site</span><input class="search" type="search" name="q" placeholder="Search" autocomplete="off"></label></form>
</div></header>
<main id="main">
${content}
</main>
<footer class="foot"><p>Built on <time datetime="${date}">${date}</time>. Data: <a href="results.json">results.json</a>, <a href="feed.xml">feed</a>. Each result is about one version on one day; its page shows the commands that repeat it.</p></footer>
</body>
</html>
`)
}
