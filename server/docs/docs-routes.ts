// The OpenAPI document and its page, each loaded and built at the first request. Neither needs a key.
import { Hono } from 'hono'
import { html, raw } from 'hono/html'
import { baseUrlOf } from '../pages/base-url.ts'
import { sourceOf } from '../../harness/html/document.ts'
import { pageHeaders } from '../pages/page.ts'
import { style } from './docs-style.ts'

/** Where the page shows the address at which it was requested. */
const ADDRESS = 'address-of-this-page'

/** `GET /openapi.json` and `GET /docs`, to be mounted at the root. */
export function docsRoutes(): Hono {
  const document = once(async () => (await import('../../spec/openapi/openapi.ts')).createOpenApiDocument())
  const json = once(async () => JSON.stringify(await document()))
  const parts = once(async () => {
    const { docsPage } = await import('./docs-page.ts')
    return String(await docsPage(await document(), ADDRESS)).split(ADDRESS)
  })

  const docs = new Hono()
  docs.get('/openapi.json', async (c) => c.body(await json(), 200, { 'Content-Type': 'application/json' }))
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
