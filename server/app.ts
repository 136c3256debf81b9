// The whole service in reading order: what needs no key, the dashboard, and /v1 behind key and limit.
import { type Context, Hono } from 'hono'
import { type ApiDependencies, createRespond, type Respond } from './api.ts'
import { chatCompletions, type ChatCompletionsOptions } from './chat/chat-completions.ts'
import { ApiError, toApiError } from './http/errors.ts'
import type { Operations } from './http/exchange.ts'
import { answerFetch, type AppEnv } from './http/fetch-adapter.ts'
import { insteadOf } from './http/not-offered.ts'
import { listModels, retrieveModel } from './models/routes.ts'

export interface AppDependencies extends ApiDependencies, ChatCompletionsOptions {
  readonly rateLimit: ApiDependencies['rateLimit'] & ChatCompletionsOptions['rateLimit']
  /** Resolves when requests can be served; rejects with the reason otherwise. */
  readonly ready: () => Promise<void>
  /** The key page, mounted under /dashboard. */
  readonly dashboard: Hono
  /** The document and its page, mounted at the root. */
  readonly docs: Hono
}

/** The service for every request, and what the HTTP server needs to answer the usual ones without it. */
export type App = Hono<AppEnv> & {
  readonly api: {
    readonly respond: Respond
    readonly operations: Operations
    readonly reportError: (error: unknown) => void
  }
}

export function createApp(dependencies: AppDependencies): App {
  const { models, limiter, logger } = dependencies
  const app = new Hono<AppEnv>()

  app.get('/', (c) => c.redirect('/docs'))
  app.get('/healthz', (c) => c.json({ status: 'alive' }))
  app.get('/readyz', async (c) => {
    try {
      await dependencies.ready()
      return c.json({ status: 'ready', limits: limiter.scope() })
    } catch (error) {
      return c.json(
        {
          status: 'not ready',
          reason: error instanceof ApiError ? error.message : 'a part of the service does not answer',
        },
        503,
      )
    }
  })
  // An app of its own, with a router of its own: the quick router of /v1 cannot tell its paths apart.
  const pages = new Hono().route('/dashboard', dependencies.dashboard)
  for (const path of ['/dashboard', '/dashboard/*']) app.all(path, (c) => pages.fetch(c.req.raw, c.env))
  app.route('/', dependencies.docs)

  const respond = createRespond(dependencies)
  const complete = chatCompletions(dependencies)
  const list = listModels(models)
  app.post('/v1/chat/completions', (c) => answerFetch(c, respond, complete))
  app.get('/v1/models', (c) => answerFetch(c, respond, list))
  app.get('/v1/models/:id{.+}', (c) => answerFetch(c, respond, retrieveModel(models, c.req.param('id'))))
  app.all('/v1/*', (c) =>
    answerFetch(c, respond, () => {
      throw unknownUrl(c)
    }),
  )
  // Outside of /v1 the HTTP server gives the id.
  app.notFound((c) => envelope(unknownUrl(c)))
  app.onError((thrown) => {
    const error = toApiError(thrown)
    if (error.status === 500) reportError(error.cause ?? error)
    return envelope(error)
  })

  function reportError(error: unknown): void {
    logger.error({ err: error }, 'request failed')
  }

  const operations = new Map([
    ['/v1/chat/completions', { method: 'POST', operation: complete }],
    ['/v1/models', { method: 'GET', operation: list }],
  ])
  return Object.assign(app, { api: { respond, operations, reportError } })
}

function envelope(error: ApiError): Response {
  return Response.json(error.toEnvelope(), { status: error.status, headers: error.headers })
}

/** An unknown path, or a method that a path does not have: the table of statuses has a 404 for both (ERR-5, ERR-7). */
function unknownUrl({ req: { method, path } }: Context): ApiError {
  return new ApiError(
    404,
    'unknown_url',
    `Unknown request URL: ${method} ${path.slice(0, 200)}. ${insteadOf(method, path)}The operations are listed at /docs.`,
  )
}
