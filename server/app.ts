// The whole service in reading order: the operations under /v1 behind key and limit, and the pages that need no key.
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { quoted } from '../spec/protocol/key.ts'
import { type Operation as Described, operations } from '../spec/openapi/operations.ts'
import { type ApiDependencies, createRespond } from './api.ts'
import { chatCompletions, type ChatCompletionsOptions } from './chat/chat-completions.ts'
import { BASE } from './dashboard/dashboard-paths.ts'
import type { AnswerClock } from './http/answer-clock.ts'
import { ApiError, toApiError } from './http/api-error.ts'
import type { Operation } from './http/call.ts'
import type { DirectRoute, HttpApp } from './connections/http-server.ts'
import { newId } from './http/ids.ts'
import { createNodeAdapter, type NodeEnv } from './http/node-adapter.ts'
import { insteadOf } from './http/not-offered.ts'
import type { OrderedFailures } from './faults/ordered-failures.ts'
import { listModels, retrieveModel } from './models/model-routes.ts'
import type { Metrics } from './operations/metrics.ts'

export interface AppDependencies extends ApiDependencies, ChatCompletionsOptions {
  readonly rateLimit: ApiDependencies['rateLimit'] & ChatCompletionsOptions['rateLimit']
  readonly clock: AnswerClock
  readonly metrics?: Metrics | undefined
  /** Resolves when requests can be served; rejects with the reason otherwise. */
  readonly ready: () => Promise<void>
  /** Absent unless clients may order failures (FAULTS=on). */
  readonly failures?: OrderedFailures | undefined
  /** The key dashboard, loaded at its first request: it is a third of the code. */
  readonly dashboard: () => Promise<Hono>
  /** The document and its page, mounted at the root. */
  readonly docs: Hono
}

/** The service. Its operations read from and write to Node's own request and response, so they need a socket. */
export function createApp(dependencies: AppDependencies): Hono<NodeEnv> & HttpApp {
  const { models, clock, logger, failures } = dependencies
  const reportError = (error: unknown): void => logger.error({ err: error }, 'request failed')
  const answer = createNodeAdapter({ respond: createRespond(dependencies), clock, reportError })
  const pages = createPages(dependencies, reportError)

  const handlers: Readonly<Record<Described['id'], Operation>> = {
    createChatCompletion: chatCompletions(dependencies),
    listModels: listModels(models),
    retrieveModel: retrieveModel(models),
  }
  const app = new Hono<NodeEnv>()
  const direct = new Map<string, DirectRoute>()
  for (const operation of operations) {
    const handler = failures?.before(handlers[operation.id]) ?? handlers[operation.id]
    const method = operation.method.toUpperCase()
    const target = { path: operation.path, parameters: {} }
    if (Object.keys(operation.parameters).length === 0)
      direct.set(target.path, {
        method,
        answer: (incoming, outgoing) => answer(incoming, outgoing, target, handler),
      })
    app.on(method, honoPath(operation.path), ({ env: { incoming, outgoing }, req }) => {
      answer(incoming, outgoing, { path: req.path, parameters: req.param() }, handler)
      return RESPONSE_ALREADY_SENT
    })
  }
  if (failures !== undefined)
    app.post('/faults', ({ env: { incoming, outgoing }, req }) => {
      answer(incoming, outgoing, { path: req.path, parameters: {} }, failures.order)
      return RESPONSE_ALREADY_SENT
    })
  // All other requests end here, because a wildcard route would slow the operations down.
  app.notFound((c) => {
    const { env, req } = c
    if (req.path !== '/v1' && !req.path.startsWith('/v1/')) return pages.fetch(req.raw, env)
    answer(env.incoming, env.outgoing, { path: req.path, parameters: {} }, ({ call }) => {
      throw unknownUrl(call)
    })
    return RESPONSE_ALREADY_SENT
  })
  return Object.assign(app, { clock, direct })
}

/** A path template of the OpenAPI document as a route. A parameter may contain slashes, as model ids do. */
function honoPath(template: string): string {
  return template.replaceAll(/\{(\w+)\}/g, ':$1{.+}')
}

function createPages(
  { ready, limiter, dashboard, docs }: AppDependencies,
  reportError: (error: unknown) => void,
): Hono {
  const pages = new Hono()
  pages.use(async function requestId(c, next) {
    await next()
    c.header('x-request-id', newId('req_'))
  })
  pages.get('/', (c) => c.redirect('/docs'))
  pages.get('/healthz', (c) => c.json({ status: 'alive' }))
  pages.get('/readyz', async (c) => {
    try {
      await ready()
      return c.json({ status: 'ready', limits: limiter.scope() })
    } catch (error) {
      const reason = error instanceof ApiError ? error.message : 'a part of the service does not answer'
      return c.json({ status: 'not ready', reason }, 503)
    }
  })
  let loaded: Promise<Hono> | undefined
  const whole = async (): Promise<Hono> => new Hono().route(BASE, await dashboard())
  for (const path of [BASE, `${BASE}/*`])
    pages.all(path, async ({ req, env }) => (await (loaded ??= whole())).fetch(req.raw, env))
  pages.route('/', docs)
  pages.notFound(({ req }) => errorResponse(unknownUrl(req)))
  pages.onError((thrown) => {
    const error = toApiError(thrown)
    if (error.status === 500) reportError(error.cause ?? error)
    return errorResponse(error)
  })
  return pages
}

function errorResponse(error: ApiError): Response {
  const headers = { 'content-type': 'application/json', ...error.headers }
  return new Response(error.toJson(), { status: error.status, headers })
}

/** The 404 for an unknown path, and for a method that a path does not have (ERR-5, ERR-7). */
function unknownUrl({ method, path }: { readonly method: string; readonly path: string }): ApiError {
  return new ApiError(
    404,
    'unknown_url',
    `Unknown request URL: ${method} ${quoted(path, 200)}. ${insteadOf(method, path)}The operations are listed at /docs.`,
  )
}
