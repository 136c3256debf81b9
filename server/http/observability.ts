// Request ids and structured logs. Lines for machines go to stderr as JSON; no line holds a secret: headers and bodies
// are never logged, and what looks like a key is redacted from paths and errors (KEY-2, KEY-10).
import type { MiddlewareHandler } from 'hono'
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'
import { redactKeys } from '../../spec/protocol/key.ts'
import type { AppEnv } from './context.ts'
import type { Metrics } from '../operations/metrics.ts'
import { newId } from './ids.ts'
import { type AnswerFacts, millisecondsSince, readTraceparent } from './request-log.ts'

export type { Logger } from 'pino'

/** How long a line may wait in memory before it is written, in milliseconds. */
const FLUSH_MS = 500

/** Makes the logger. Without a destination it writes to stderr, gathered; it is flushed twice a second and at exit. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const stream = destination ?? bufferedStderr()
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      serializers: { err: redactedError },
    },
    stream,
  )
}

function bufferedStderr(): DestinationStream {
  const stream = pino.destination({ dest: 2, sync: false, minLength: 4096 })
  setInterval(() => stream.flush(), FLUSH_MS).unref()
  process.on('exit', () => {
    try {
      stream.flushSync()
    } catch {
      // Nothing is left that could take the lines: stderr was closed, or never opened.
    }
  })
  return stream
}

function redactedError(error: unknown): unknown {
  if (!(error instanceof Error)) return redactKeys(String(error))
  const { type, message, stack } = stdSerializers.errWithCause(error)
  return { type, message: redactKeys(message), stack: redactKeys(stack ?? '') }
}

/** Gives each request its id, counts it and writes one line for it. Runs before everything else under /v1. */
export function observe(logger: Logger, metrics?: Metrics): MiddlewareHandler<AppEnv> {
  return async function observe(c, next) {
    const requestId = newId('req_')
    const startedAt = performance.now()
    const trace = readTraceparent(c.req.raw.headers.get('traceparent'))
    const answer: AnswerFacts = {}
    let goesOn = false
    function end(): void {
      logger.info({
        requestId,
        traceId: trace?.traceId,
        method: c.req.method,
        path: redactKeys(c.req.path),
        status: c.res.status,
        keyId: c.get('apiKey')?.id,
        ...answer,
        ms: millisecondsSince(startedAt),
      })
    }
    c.set('requestId', requestId)
    c.set('log', { startedAt, traceparent: trace?.traceparent, answer, keep: () => (goesOn = true), end })
    await next()
    metrics?.countRequest(c.req.path, c.res.status)
    if (!goesOn) end()
  }
}
