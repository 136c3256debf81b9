// The OpenAPI document, and soon its page.
import { Hono } from 'hono'
import { createOpenApiDocument } from '../spec/openapi.ts'

export function docsRoutes(): Hono {
  return new Hono().get('/openapi.json', (c) => c.json(createOpenApiDocument()))
}
