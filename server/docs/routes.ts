// The OpenAPI document and its page, each built at the first request. Neither needs a key.
import { hash } from 'node:crypto'
import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { createOpenApiDocument } from '../../spec/openapi/openapi.ts'
import { docsPage } from './page.ts'
import { style } from './style.ts'

/** `GET /openapi.json` and `GET /docs`, to be mounted at the root. */
export function docsRoutes(): Hono {
  const document = once(createOpenApiDocument)
  const json = once(() => JSON.stringify(document()))
  const page = once(() => docsPage(document()))

  const docs = new Hono()
  docs.get('/openapi.json', (c) => c.body(json(), 200, { 'Content-Type': 'application/json' }))
  docs.get(
    '/docs',
    // The page has one inline style and no scripts, images or forms.
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        styleSrc: [`'sha256-${hash('sha256', style, 'base64')}'`],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
      xFrameOptions: 'DENY',
      // The operator of the proxy that ends TLS decides this.
      strictTransportSecurity: false,
    }),
    (c) => c.html(page()),
  )
  return docs
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
