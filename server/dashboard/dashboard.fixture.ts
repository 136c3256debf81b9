// A mounted dashboard with a password that is cheap to verify, a browser without a window, and readers of pages.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { makeKey } from '../keys/key-record.ts'
import type { ApiKey } from '../keys/key-store.ts'
import { openSqliteStorage } from '../keys/sqlite/sqlite-storage.ts'
import { fields } from './form-fields.ts'
import { dashboardRoutes } from './dashboard-routes.ts'
import type { DashboardOptions } from './routes/dashboard.ts'

export const PASSWORD = 'correct horse battery staple'
export const SERVED = ['svc-0.1-echo', 'svc-0.1-tiny']
export const ORIGIN = 'http://dashboard.test'

/** A dashboard with keys in memory, mounted as in the service. `errors` collects reported errors. */
export function openDashboard(options: Partial<DashboardOptions> = {}) {
  const storage = openSqliteStorage({ path: ':memory:' })
  const { keys } = storage
  const errors: unknown[] = []
  const app = new Hono()
  app.route(
    '/dashboard',
    dashboardRoutes({
      storage,
      password: { verify: async (candidate) => candidate === PASSWORD, change: undefined },
      models: () => SERVED,
      rateLimit: { requests: 600, windowSeconds: 60, concurrency: null, tokensPerMinute: null },
      usageDelayMs: 1000,
      hosts: ['dashboard.test'],
      reportError: (error) => errors.push(error),
      ...options,
    }),
  )
  return { app, storage, keys, errors }
}

/** Serves an app on a free port; `root` is its address. */
export async function listen(app: Hono): Promise<{ readonly root: string; close(): void }> {
  // Other tests of this worker keep the global objects of Node.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    root: `http://127.0.0.1:${address.port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** An active key without a model restriction or limits. */
export function apiKey(id: string, change: Partial<ApiKey> = {}): ApiKey {
  const { key } = makeKey({ name: id, models: null, limit: null }, { now: () => 0 }, id)
  return { ...key, lastFour: 'wxyz', ...change }
}

export type Form = Readonly<Record<string, string>> | URLSearchParams

/** Sends cookies and the origin like a browser. Does not follow redirects. */
export class TestBrowser {
  cookie = ''
  readonly #app: Hono

  constructor(app: Hono) {
    this.#app = app
  }

  async request(
    path: string,
    init: RequestInit & { headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const headers = { origin: ORIGIN, ...(this.cookie !== '' && { cookie: this.cookie }), ...init.headers }
    const response = await this.#app.request(`${ORIGIN}${path}`, { ...init, headers })
    for (const cookie of response.headers.getSetCookie())
      this.cookie = cookie.includes('Max-Age=0') ? '' : (cookie.split(';')[0] ?? '')
    return response
  }

  post(path: string, form: Form, headers: Record<string, string> = {}): Promise<Response> {
    return this.request(path, { method: 'POST', body: new URLSearchParams(form), headers })
  }

  async page(path: string): Promise<string> {
    return (await this.request(path)).text()
  }

  signIn(password: string = PASSWORD): Promise<Response> {
    return this.post('/dashboard/sign-in', { [fields.password]: password })
  }

  /** Fills in the form for a new key and posts it. */
  async create(form: Readonly<Record<string, string>> = {}): Promise<Response> {
    const hidden = hiddenFields(await this.page('/dashboard/keys/new'))
    return this.post('/dashboard/keys', {
      ...hidden,
      [fields.name]: 'a key',
      [fields.access]: 'all',
      ...form,
    })
  }
}

/** A signed-in browser. */
export async function signedIn(app: Hono): Promise<TestBrowser> {
  const browser = new TestBrowser(app)
  await browser.signIn()
  return browser
}

/** A dashboard and a browser that is signed in to it. */
export async function openSignedIn(options: Partial<DashboardOptions> = {}) {
  const dashboard = openDashboard(options)
  return { ...dashboard, browser: await signedIn(dashboard.app) }
}

/** The location of a redirect. */
export function target(response: Response): string {
  return response.headers.get('location') ?? `no redirect: ${response.status}`
}

/** The hidden fields of the forms on a page. */
export function hiddenFields(page: string): Record<string, string> {
  const inputs = page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return Object.fromEntries(Array.from(inputs, ([, name = '', value = '']) => [name, value]))
}

/** The text of the element with this id. */
export function elementText(page: string, id: string): string | undefined {
  return new RegExp(`<[a-z]+[^>]* id="${id}"[^>]*>([^<]*)<`).exec(page)?.[1]?.trim()
}

/** The problems that a page reports. */
export function problemsOf(page: string): string[] {
  const [, note = ''] = /class="note bad" role="alert">([^]*?)<\/(?:p|div)>/.exec(page) ?? []
  const items = Array.from(note.matchAll(/<a [^>]*>([^<]*)<\/a>/g), ([, item = '']) => item)
  return (items.length > 0 ? items : [note]).map((text) => text.trim()).filter((text) => text !== '')
}
