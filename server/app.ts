// The whole service in reading order: what needs no key, the dashboard, and /v1 behind key and limit.
import { Hono } from 'hono'
import { authenticate } from './keys/authenticate.ts'
import { chatCompletions, type ChatCompletionsOptions } from './chat/chat-completions.ts'
import { type AppEnv, cutAnswer, errorAnswer } from './http/context.ts'
import { ApiError, ConnectionCut, toApiError } from './http/errors.ts'
import type { KeyStore } from './keys/key-store.ts'
import type { RateLimiter } from './limits/rate-limiter.ts'
import type { Metrics } from './operations/metrics.ts'
import { listModels, retrieveModel } from './models/routes.ts'
import { observe } from './http/observability.ts'
import { type DefaultLimits, limitRate } from './limits/limit-rate.ts'
import { recordUsage } from './keys/usage-recorder.ts'

export interface AppDependencies extends ChatCompletionsOptions {
  readonly keys: KeyStore
  readonly limiter: RateLimiter
  /** The limits of keys without their own. */
  readonly rateLimit: DefaultLimits & {
    /** What an answer without a limit of its own is taken to have, in tokens, until it ends. */
    readonly answerTokens: number
  }
  /** Absent where nobody asked for figures. */
  readonly metrics?: Metrics | undefined
  /** Resolves when requests can be served; rejects with the reason otherwise. */
  readonly ready: () => Promise<void>
  /** The key page, mounted under /dashboard. */
  readonly dashboard: Hono
  /** The document and its page, mounted at the root. */
  readonly docs: Hono
}

export function createApp(dependencies: AppDependencies): Hono<AppEnv> {
  const { keys, models, recorder, limiter, rateLimit, logger } = dependencies
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

  app.use(
    '/v1/*',
    observe(logger, dependencies.metrics),
    authenticate(keys),
    recordUsage(recorder),
    limitRate(limiter, rateLimit),
  )
  app.post('/v1/chat/completions', chatCompletions(dependencies))
  app.get('/v1/models', listModels(models))
  app.get('/v1/models/:id{.+}', retrieveModel(models))

  app.notFound((c) => {
    throw unknownUrl(c.req.method, c.req.path)
  })
  app.onError((thrown, c) => {
    if (thrown instanceof ConnectionCut) return cutAnswer(c)
    const error = toApiError(thrown)
    // Nobody waits for an answer to a request that was given up, and nothing went wrong.
    if (error.status === 500 && !c.req.raw.signal.aborted)
      logger.error({ requestId: c.get('requestId'), err: error.cause ?? error }, 'request failed')
    return errorAnswer(c, error)
  })
  return app
}

/** An unknown path, or a method that a path does not have: the table of statuses has a 404 for both (ERR-5, ERR-7). */
function unknownUrl(method: string, path: string): ApiError {
  return new ApiError(
    404,
    'unknown_url',
    `Unknown request URL: ${method} ${path.slice(0, 200)}. The operations are listed at /docs.`,
  )
}
