// The OpenAPI document and its page, each built at the first request. Neither needs a key.
import { Hono } from 'hono'
import { html, raw } from 'hono/html'
import { createOpenApiDocument } from '../../spec/openapi/openapi.ts'
import { baseUrlOf } from '../pages/base-url.ts'
import { sourceOf } from '../../harness/html/document.ts'
import { pageHeaders } from '../pages/page.ts'
import { docsPage } from './docs-page.ts'
import { style } from './docs-style.ts'

/** Where the page shows the address at which it was requested. */
const ADDRESS = 'address-of-this-page'

/** `GET /openapi.json` and `GET /docs`, to be mounted at the root. */
export function docsRoutes(): Hono {
  const document = once(createOpenApiDocument)
  const json = once(() => JSON.stringify(document()))
  const parts = once(async () => String(await docsPage(document(), ADDRESS)).split(ADDRESS))

  const docs = new Hono()
  docs.get('/openapi.json', (c) => c.body(json(), 200, { 'Content-Type': 'application/json' }))
  docs.get('/docs', pageHeaders({ styleSrc: [sourceOf(style)], formAction: ["'none'"] }), async (c) => {
    const [before = '', after = ''] = await parts()
    return c.html(html`${raw(before)}${baseUrlOf(c)}${raw(after)}`)
  })
  return docs
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
