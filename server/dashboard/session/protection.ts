// What holds for every answer of the dashboard: no script but our own, no frame, no copy in a cache, no form from elsewhere, no
// body without a bound.
import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { secureHeaders } from 'hono/secure-headers'
import { SCRIPT_SOURCE, STYLE_SOURCE } from '../pages/layout.ts'
import { isOwnHost } from './own-host.ts'
import { comesFromOwnPage } from './own-page.ts'
import { problem } from '../pages/problem.ts'

/** The largest form that is read, in bytes. */
export const MAX_FORM_BYTES = 64 * 1024

const OTHER_NAME =
  'The dashboard is served under addresses, localhost and the names in DASHBOARD_HOSTS: the operator adds this one there.'

/** The middleware, to be used before every route; `hosts` are the names under which pages are served. */
export function protection(hosts: readonly string[]): MiddlewareHandler[] {
  return [
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        styleSrc: [STYLE_SOURCE],
        scriptSrc: [SCRIPT_SOURCE],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
      xFrameOptions: 'DENY',
      // Not `no-referrer`: with it browsers post forms with `Origin: null`, and an own page could not be recognised.
      referrerPolicy: 'same-origin',
      // For the operator of the proxy that ends TLS to decide.
      strictTransportSecurity: false,
    }),
    async function neverStored(c, next) {
      await next()
      c.header('Cache-Control', 'no-store')
    },
    async function onlyOwnNames(c, next) {
      if (!isOwnHost(c.req.url, hosts)) return problem(c, 421, 'Not served under this name', OTHER_NAME)
      return next()
    },
    async function onlyOwnForms(c, next) {
      if (
        c.req.method !== 'GET' &&
        c.req.method !== 'HEAD' &&
        !comesFromOwnPage(c.req.raw.headers, c.req.url)
      )
        return problem(c, 403, 'Not accepted', 'This request does not come from a page of this dashboard.')
      return next()
    },
    bodyLimit({
      maxSize: MAX_FORM_BYTES,
      onError: (c) => problem(c, 413, 'Too large', `A form has at most ${MAX_FORM_BYTES} bytes.`),
    }),
  ]
}
