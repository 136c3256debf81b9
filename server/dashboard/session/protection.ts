// Protects every answer of the dashboard: only its own script and style run, and it accepts no frames, caches, foreign
// host names, foreign forms or unbounded bodies.
import { isIP } from 'node:net'
import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { pageHeaders } from '../../pages/page.ts'
import { Problem } from '../problem.ts'

/** The largest form that is read, in bytes. */
export const MAX_FORM_BYTES = 64 * 1024

/**
 * The middleware, to be used before every route. `hosts` are the names under which pages are served, in lower case;
 * `style` and `script` are the only ones that a page may have, as sources of a content security policy.
 */
export function protection(hosts: readonly string[], style: string, script: string): MiddlewareHandler[] {
  return [
    // With the policy `no-referrer`, browsers would post our own forms with `Origin: null`.
    pageHeaders({ styleSrc: [style], scriptSrc: [script], formAction: ["'self'"] }, 'same-origin'),
    async function neverStored(c, next) {
      await next()
      c.header('Cache-Control', 'no-store')
    },
    async function onlyOwnNames(c, next) {
      if (!isOwnHost(c.req.url, hosts))
        throw new Problem(
          421,
          'Not served under this name',
          'The dashboard is served under IP addresses, localhost and the names in DASHBOARD_HOSTS. Add this name there.',
        )
      return next()
    },
    async function onlyOwnForms(c, next) {
      const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
      if (!isRead && !comesFromOwnPage(c.req.raw.headers, c.req.url))
        throw new Problem(403, 'Not accepted', 'This request does not come from a page of this dashboard.')
      return next()
    },
    bodyLimit({
      maxSize: MAX_FORM_BYTES,
      onError() {
        throw new Problem(413, 'Too large', `A form has at most ${MAX_FORM_BYTES} bytes.`)
      },
    }),
  ]
}

/**
 * Whether a request came to an IP address, a loopback name, or one of `names`, which are in lower case. Any other name
 * could belong to a site that points it at this machine (DNS rebinding) and would then share the dashboard's origin.
 */
export function isOwnHost(url: string, names: readonly string[]): boolean {
  const { hostname } = new URL(url)
  return (
    isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0 ||
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    names.includes(hostname)
  )
}

/**
 * Whether a page of the same origin sent this request; false for forms of other sites (cross-site request forgery).
 * `Sec-Fetch-Site` decides, which pages cannot set; else `Origin`, because browsers omit the former over plain HTTP and
 * send the latter with every post. A request with neither is refused: no browser posts a form without both.
 */
export function comesFromOwnPage(headers: Headers, url: string): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = headers.get('origin') ?? ''
  // Schemes are not compared: behind a proxy that ends TLS they differ.
  return URL.canParse(origin) && new URL(origin).host === new URL(url).host
}
