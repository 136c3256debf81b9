// Request ids and structured logs. Lines for machines go to stderr as JSON; no line holds a secret: headers and bodies
// are never logged, and what looks like a key is redacted from paths and errors (KEY-2, KEY-10).
import type { MiddlewareHandler } from 'hono'
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'
import { redactKeys } from '../../spec/protocol/key.ts'
import type { AppEnv } from './context.ts'
import type { Metrics } from '../operations/metrics.ts'
import { newId } from './ids.ts'

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

/** Gives each request its id, writes one line for it and counts it. Runs before everything else under /v1. */
export function observe(logger: Logger, metrics?: Metrics): MiddlewareHandler<AppEnv> {
  return async function observe(c, next) {
    const requestId = newId('req_')
    c.set('requestId', requestId)
    const started = performance.now()
    await next()
    metrics?.countRequest(c.req.path, c.res.status)
    logger.info({
      requestId,
      method: c.req.method,
      path: redactKeys(c.req.path),
      status: c.res.status,
      keyId: c.get('apiKey')?.id,
      ms: Math.round((performance.now() - started) * 100) / 100,
    })
  }
}
