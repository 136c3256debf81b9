// A service for tests: the real app, the real key store (in memory), the echo engine, on a free port of this process.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Hono } from 'hono'
import { createApp } from './app.ts'
import { readConfig } from './config/config.ts'
import { createSandbox } from './engines/constrained/sandbox/sandbox.ts'
import { createEchoEngine } from './engines/echo/echo.ts'
import type { Engine } from './engines/engine.ts'
import { withFaults } from './faults/prompt-faults.ts'
import { createGenerations } from './chat/generation.ts'
import { createAnswerClock } from './http/answer-clock.ts'
import { connectionBounds } from './connections/connection-bounds.ts'
import type { ConnectionBounds } from './connections/connections.ts'
import { createHttpServer } from './connections/http-server.ts'
import type { Refusal } from './connections/protocol-refusals.ts'
import { createOrderedFailures } from './faults/ordered-failures.ts'
import { Unread } from './http/unread.ts'
import type { NewKey } from './keys/key-store.ts'
import { openSqliteStorage } from './keys/sqlite/sqlite-storage.ts'
import { createMemoryRateLimiter } from './limits/memory-limiter.ts'
import type { RateLimiter } from './limits/rate-limiter.ts'
import { createMetrics } from './operations/metrics.ts'
import { createModelRegistry } from './models/model-registry.ts'
import { createLogger } from './http/observability.ts'
import type { DefaultLimits } from './limits/limit-rate.ts'
import { createUsageRecorder } from './keys/usage-recorder.ts'

/** Longer than the default: tests run where others use the machine. */
const SCHEMA_TIMEOUT_MS = 5000

const DEFAULTS = readConfig([], {})
const BOUNDS = { ...DEFAULTS.bounds, bodyBytes: 1_000_000 }

export interface TestServiceOptions {
  readonly engines?: readonly Engine[]
  readonly timeoutMs?: number
  readonly requestTimeoutSeconds?: number
  readonly connections?: Partial<ConnectionBounds>
  readonly ready?: () => Promise<void>
  readonly limiter?: RateLimiter
  /** Limits of keys without their own; as good as none if nothing is said. */
  readonly rateLimit?: Partial<DefaultLimits>
  readonly bounds?: Partial<typeof BOUNDS>
  readonly lenient?: boolean
}

/** Makes a service and its first key. `logLines` holds all that it logs. */
export async function createTestService({
  engines = [],
  timeoutMs = 10_000,
  requestTimeoutSeconds = 30,
  connections = {},
  ready = async () => {},
  limiter = createMemoryRateLimiter(),
  rateLimit = {},
  bounds = {},
  lenient = false,
}: TestServiceOptions = {}) {
  const storage = openSqliteStorage({ path: ':memory:' })
  const { keys } = storage
  const recorder = createUsageRecorder({
    usage: storage.usage,
    flushMs: 60_000,
    reportError(error) {
      throw error
    },
  })
  const metrics = createMetrics({
    queued: () => new Map(),
    engineRestarts: () => 0,
    limitsShared: () => limiter.scope() === 'shared',
  })
  const generations = metrics.measured(
    createGenerations({ timeoutMs, maxAnswerBytes: bounds.answerBytes ?? BOUNDS.answerBytes }),
  )
  const unread = new Unread({ ...BOUNDS, ...bounds })
  const logLines: string[] = []
  const echo = withFaults(createEchoEngine(1_700_000_000, createSandbox({ timeoutMs: SCHEMA_TIMEOUT_MS })))
  const app = createApp({
    keys,
    models: createModelRegistry([echo, ...engines]),
    generations,
    unread,
    clock: createAnswerClock(timeoutMs),
    recorder,
    limiter,
    rateLimit: { ...DEFAULTS.rateLimit, requests: 1_000_000, ...rateLimit },
    bounds: { ...BOUNDS, ...bounds },
    lenient,
    keepAliveMs: 10_000,
    metrics,
    failures: createOrderedFailures(BOUNDS),
    logger: createLogger('trace', { write: (line) => void logLines.push(line) }),
    ready,
    dashboard: async () => new Hono(),
    docs: new Hono(),
  })

  const refused: Refusal[] = []
  const server = createHttpServer(app, {
    requestTimeoutSeconds,
    ...connectionBounds(DEFAULTS),
    ...connections,
    onRefused: (refusal) => refused.push(refusal),
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`

  async function createKey(key: Partial<NewKey> = {}) {
    return await keys.create({ name: 'test', models: null, limit: null, ...key })
  }

  const { secret } = await createKey()

  /** Sends a request with the first key, or with another `Authorization` value; null leaves the header out. */
  async function send(
    method: string,
    path: string,
    body?: unknown,
    authorization: string | null = `Bearer ${secret}`,
  ) {
    return await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...(authorization === null ? {} : { authorization }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  }

  /** Ends the processes of the echo engine, if a schema has started some; `engines` are the caller's. */
  const closeEngines = () => echo.close()

  return {
    app,
    server,
    port,
    url,
    refused,
    storage,
    recorder,
    keys,
    generations,
    unread,
    metrics,
    logLines,
    secret,
    createKey,
    send,
    closeEngines,
  }
}
