// The HTTP server around the app: time bounds for arriving requests, and the error envelope for input that is not a
// valid request.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { settlesWithin } from '../../harness/waiting.ts'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import { type AnswerClock, FINAL_FLUSH_MS } from '../http/answer-clock.ts'
import type { NodeEnv } from '../http/node-adapter.ts'
import { type ConnectionBounds, Connections } from './connections.ts'
import { EarlyAnswer } from './early-answer.ts'
import { inTurns } from './pipelined-requests.ts'
import {
  type OnRefused,
  refusal,
  refuseInEnvelope,
  refusesTarget,
  refusesWithoutHost,
} from './protocol-refusals.ts'

export interface HttpServerOptions extends ConnectionBounds {
  /** How long a request may take to arrive, headers and body. */
  readonly requestTimeoutSeconds: number
  /** Receives each refusal of input that never became a request of the app. */
  readonly onRefused?: OnRefused
}

/**
 * How long a connection is kept for a next request, in milliseconds. Longer than balancers keep theirs, commonly 60
 * seconds: if the server closes first, a request that is being sent fails, and the balancer must not repeat it.
 */
const KEEP_CONNECTION_MS = 75_000

/** The interval of the search for requests that are late, in milliseconds. */
const LATE_CHECK_MS = 1000

export interface DirectRoute {
  readonly method: string
  answer(incoming: IncomingMessage, outgoing: ServerResponse): void
}

/** The part of an app that the server needs. */
export interface HttpApp extends Pick<Hono<NodeEnv>, 'fetch'> {
  readonly clock: AnswerClock
  /**
   * The routes without parameters, by path. The server calls their handlers directly, because the router of the app
   * would cost these short answers a quarter of their throughput.
   */
  readonly direct: ReadonlyMap<string, DirectRoute>
}

/** A host that cannot change the path of a request when both are joined to a URL. */
const PLAIN_HOST = /^[a-z0-9.-]+(?::\d{1,5})?$/i

/** The router copies the answer to a HEAD request, and the listener does not recognize a copy of `RESPONSE_ALREADY_SENT`. */
async function withoutCopy(answer: Response | Promise<Response>): Promise<Response> {
  const copy = await answer
  return copy.headers.has('x-hono-already-sent') ? RESPONSE_ALREADY_SENT : copy
}

/** Makes a server around an app; the server does not listen yet. */
export function createHttpServer(app: HttpApp, options: HttpServerOptions): Server {
  const requestTimeout = options.requestTimeoutSeconds * 1000
  const { onRefused = () => {} } = options
  const listener = getRequestListener(
    (request, bindings) => {
      const answer = app.fetch(request, bindings)
      return request.method === 'HEAD' ? withoutCopy(answer) : answer
    },
    {
      hostname: 'localhost',
      // The app answers its own failures, so this is a request whose target is not a URL.
      errorHandler() {
        const problem = 'The request target or the Host header is not valid.'
        const { body, headers } = refusal(problem, 'target or host', onRefused)
        return new Response(body, { status: 400, headers })
      },
    },
  )
  const server = createServer(
    {
      ServerResponse: EarlyAnswer,
      requestTimeout,
      headersTimeout: requestTimeout,
      keepAliveTimeout: KEEP_CONNECTION_MS,
      connectionsCheckingInterval: LATE_CHECK_MS,
      requireHostHeader: false,
      // A header that may occur only once has no valid value if it is joined.
      joinDuplicateHeaders: true,
      highWaterMark: 64 * 1024,
    },
    (incoming, outgoing) => {
      connections.addAnswer(outgoing)
      begin(incoming, outgoing)
    },
  )
  const begin = inTurns((incoming, outgoing) => {
    if (refusesWithoutHost(incoming, outgoing, onRefused)) return
    const direct = PLAIN_HOST.test(incoming.headers.host ?? '')
      ? app.direct.get(incoming.url ?? '')
      : undefined
    if (direct !== undefined && direct.method === incoming.method) return direct.answer(incoming, outgoing)
    if (refusesTarget(incoming, outgoing, onRefused)) return
    app.clock.start(outgoing, incoming)
    void listener(incoming, outgoing)
  })
  const connections = new Connections(server, options)
  refuseInEnvelope(server, connections, onRefused)
  return server
}

export interface StopOptions {
  /** How long requests are still accepted, so that balancers can notice the stop, in milliseconds. */
  readonly drainMs: number
  /** How long requests in flight may then take, in milliseconds. */
  readonly graceMs: number
  /** Ends all requests in flight after that. */
  readonly endAll: () => void
}

/**
 * Accepts requests for the drain time, then waits for those in flight; ends them after the grace period, waits a moment
 * for their last bytes, and closes all connections.
 */
export async function stopHttpServer(
  server: Server,
  { drainMs, graceMs, endAll }: StopOptions,
): Promise<void> {
  if (drainMs > 0) await sleep(drainMs)
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // `close` ends the connections that are idle now; those that become idle later have to be ended too.
  const sweeper = setInterval(() => server.closeIdleConnections(), 50)
  try {
    if (await settlesWithin(closed, graceMs)) return
    endAll()
    if (await settlesWithin(closed, FINAL_FLUSH_MS)) return
    server.closeAllConnections()
    await closed
  } finally {
    clearInterval(sweeper)
  }
}
