// The document and its page are public, and the page is self-contained.
import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createOpenApiDocument } from '../../spec/openapi/openapi.ts'
import { docsRoutes } from './docs-routes.ts'
import { docsPage } from './docs-page.ts'

const docs = docsRoutes()

async function page(): Promise<{ text: string; headers: Headers }> {
  const response = await docs.request('/docs')
  expect(response.status).toBe(200)
  return { text: await response.text(), headers: response.headers }
}

/** All values of an attribute. */
function attributes(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value)
}

test('GET /openapi.json is the document', async () => {
  const response = await docs.request('/openapi.json')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(createOpenApiDocument())))
})

describe('GET /docs', () => {
  test('loads nothing: no script, no image, no link to another host, and a policy that forbids them', async () => {
    const { text, headers } = await page()
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect(text).not.toMatch(
      /<(script|img|link|iframe|object|embed|form|base)\b|@import|url\(|\sstyle=|\son\w+=/i,
    )
    expect(attributes(text, 'src')).toEqual([])
    expect(attributes(text, 'href').filter((href) => !/^[#/](?!\/)/.test(href))).toEqual([])

    const policy = headers.get('content-security-policy') ?? ''
    const [, style = ''] = /<style>(.*)<\/style>/su.exec(text) ?? []
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain(`style-src 'sha256-${hash('sha256', style, 'base64')}'`)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
  })

  test('shows every operation, field, schema and error, and every link has a target', async () => {
    const { text } = await page()
    const { paths, components } = createOpenApiDocument()
    const ids = new Set(attributes(text, 'id'))
    expect(ids.size).toBe(attributes(text, 'id').length)
    const missing = attributes(text, 'href').filter((href) => href.startsWith('#') && !ids.has(href.slice(1)))
    expect(missing).toEqual([])

    const operations = Object.values(paths ?? {}).flatMap(({ get, post }) => [get, post])
    expect(operations.flatMap((operation) => operation?.operationId ?? [])).toSatisfy((names: string[]) =>
      names.every((name) => ids.has(name)),
    )
    const fields = JSON.parse(JSON.stringify(components?.schemas?.['ChatCompletionRequest'])).properties
    expect(Object.keys(fields).filter((name) => !ids.has(`ChatCompletionRequest.${name}`))).toEqual([])
    const schemas = Object.keys(components?.schemas ?? {}).filter((name) => name !== 'ChatCompletionRequest')
    expect(schemas.filter((name) => !ids.has(name))).toEqual([])
    expect(
      ['400', '401', '404', '429', '500', '503'].filter((status) => !ids.has(`error-${status}`)),
    ).toEqual([])
  })

  test('shows types, ranges, defaults, and commands that can be copied', async () => {
    const text = (await page()).text.replaceAll(/<[^>]*>|\s+/g, ' ').replaceAll(/ +/g, ' ')
    expect(text).toContain(
      'temperature number or null 0 to 2 0 takes the likeliest token each time; higher values are more random. Default: 1',
    )
    expect(text).toContain('curl &quot;$BASE_URL/v1/models/svc-0.1-echo&quot;')
    expect(text).toContain('data: [DONE]')
  })
})

test.each([
  ['http://127.0.0.1:8199/docs', {}, 'http://127.0.0.1:8199'],
  ['http://api.example.com/docs', { 'x-forwarded-proto': 'https' }, 'https://api.example.com'],
])(
  'the examples of %s with %j have the address at which they were requested',
  async (url, headers, address) => {
    const text = await (await docs.request(url, { headers })).text()
    expect(text).toContain(`export BASE_URL=${address}\n`)
    expect(text.match(/<h1>/g)).toHaveLength(1)
  },
)

test('text of the document is never HTML', async () => {
  const hostile = `</code><img src=x onerror="alert('1')">`
  const hostileDocument = JSON.parse(
    JSON.stringify(createOpenApiDocument(), (key, value) =>
      typeof value === 'string' && !['$ref', 'type', 'in', 'name'].includes(key) ? value + hostile : value,
    ),
  )
  hostileDocument.paths[`/${hostile}`] = hostileDocument.paths['/v1/models']
  hostileDocument.components.schemas[hostile] = {
    type: 'object',
    properties: { [hostile]: { enum: [hostile], default: hostile } },
  }
  const text = String(await docsPage(hostileDocument, 'http://127.0.0.1'))
  expect(text).toContain('&lt;img')
  expect(text).not.toContain('<img')
  expect(text).not.toContain('onerror="')
})
