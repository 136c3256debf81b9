// The OpenAPI document and its page, each built at the first request. Neither needs a key.
import { Hono } from 'hono'
import { createOpenApiDocument } from '../../spec/openapi/openapi.ts'
import { pageHeaders, sourceOf } from '../pages/page.ts'
import { docsPage } from './docs-page.ts'
import { style } from './docs-style.ts'

/** `GET /openapi.json` and `GET /docs`, to be mounted at the root. */
export function docsRoutes(): Hono {
  const document = once(createOpenApiDocument)
  const json = once(() => JSON.stringify(document()))
  const page = once(() => docsPage(document()))

  const docs = new Hono()
  docs.get('/openapi.json', (c) => c.body(json(), 200, { 'Content-Type': 'application/json' }))
  docs.get('/docs', pageHeaders({ styleSrc: [sourceOf(style)], formAction: ["'none'"] }), (c) =>
    c.html(page()),
  )
  return docs
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
