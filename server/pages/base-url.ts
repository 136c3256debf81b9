// The address of the service as a browser sees it.
import type { Context } from 'hono'

/** The root of the service, as the request was sent to it. */
export function baseUrlOf(c: Context): string {
  return `${schemeOf(c)}://${new URL(c.req.url).host}`
}

/** `https` if the browser came by TLS, here or at a proxy. A wrong header of a proxy can only make a cookie stricter. */
export function schemeOf(c: Context): 'http' | 'https' {
  const forwarded = c.req.header('x-forwarded-proto')?.split(',')[0]?.trim().toLowerCase()
  return forwarded === 'https' || new URL(c.req.url).protocol === 'https:' ? 'https' : 'http'
}
