// Rejects forms of other sites (cross-site request forgery).

/**
 * True where the browser says that a page of the same origin sent this request: by `Sec-Fetch-Site`, which pages cannot
 * set, else by `Origin` (browsers leave the former out over plain HTTP and send the latter with every post). A request
 * with neither is refused: no browser posts a form without them.
 */
export function comesFromOwnPage(headers: Headers, url: string): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = headers.get('origin') ?? ''
  // The scheme is left out: behind a proxy that ends TLS this server sees another one than the browser.
  return URL.canParse(origin) && new URL(origin).host === new URL(url).host
}
