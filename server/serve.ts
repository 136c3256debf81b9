// The server from its configuration to its stop: puts the parts together, listens, and stops on a signal.
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { UsageError } from '../harness/cli/usage-error.ts'
import { createApp } from './app.ts'
import { clientAddressOf } from './addresses/client-address.ts'
import { connectionBounds } from './connections/connection-bounds.ts'
import { createHttpServer, stopHttpServer } from './connections/http-server.ts'
import type { Config } from './config/config.ts'
import { loadOperatorPassword } from './dashboard/session/operator-password.ts'
import { docsRoutes } from './docs/docs-routes.ts'
import { createSandbox, type Sandbox } from './engines/constrained/sandbox/sandbox.ts'
import { createEchoEngine } from './engines/echo/echo.ts'
import type { Engine } from './engines/engine.ts'
import { withFaults } from './faults/prompt-faults.ts'
import { createUpstreamEngine } from './engines/upstream/upstream-engine.ts'
import { createAnswerClock } from './http/answer-clock.ts'
import { unavailable } from './http/api-error.ts'
import { createGenerations } from './chat/generation.ts'
import { assertFree, listen } from './config/listen-on-port.ts'
import { databaseAddress, openStorage } from './keys/open-storage.ts'
import { IN_MEMORY } from './keys/sqlite/sqlite-storage.ts'
import { createMemoryRateLimiter } from './limits/memory-limiter.ts'
import { openRateLimiter } from './limits/open-limiter.ts'
import { createMetricsServer } from './operations/metrics-server.ts'
import { createModelRegistry, type ModelRegistry } from './models/model-registry.ts'
import { createLogger, type Logger } from './http/observability.ts'
import { createOrderedFailures } from './faults/ordered-failures.ts'
import { Unread } from './http/unread.ts'
import { fail, type StartFacts, startLines, warn } from './config/start-lines.ts'
import type { KeyStore } from './keys/key-store.ts'
import { createUsageRecorder } from './keys/usage-recorder.ts'
import type { FromWorker, ToWorker, WorkerPlace } from './workers/worker-messages.ts'

/** How long the parts may take to close after the last answer, in milliseconds. */
const CLOSE_MS = 10_000

/** The text that is printed when the server listens. */
export type Announce = (facts: StartFacts, keys: KeyStore) => Promise<string>

export interface ServeOptions {
  /** The place of this thread among the workers. */
  readonly worker?: WorkerPlace | undefined
  /** Left out: the lines for an operator. */
  readonly announce?: Announce | undefined
}

/** Serves until a signal, or until the main thread stops this worker. Throws `UsageError`. */
export async function serve(
  config: Config,
  { worker, announce = linesFor }: ServeOptions = {},
): Promise<void> {
  const startedAt = Math.floor(Date.now() / 1000)
  const logger = createLogger(config.logLevel)
  let stopping = false
  const storage = await openStorage(config, logger)
  const { keys } = storage
  const password = await stored(() =>
    loadOperatorPassword({ record: storage.password, configured: config.dashboardPassword }),
  )
  const sandbox = createSandbox(config.schemas)
  const llama = await startLlama(config, sandbox, startedAt, logger)
  llama?.engine.loaded.catch((error: unknown) => {
    // A stop during the first load ends the loading, which is not a failure.
    if (!stopping) fail(error instanceof Error ? error.message : String(error))
  })
  const echo = createEchoEngine(startedAt, sandbox, config.echoContextTokens)
  const engines = [
    config.faults ? withFaults(echo) : echo,
    ...(llama === undefined ? [] : [llama.engine]),
    ...startUpstream(config, startedAt),
  ]
  const models = registryOf(engines)
  const memory = createMemoryRateLimiter(undefined, worker?.limits, worker?.thread)
  const limiter = await openRateLimiter(config.redis, logger, memory)
  const metrics =
    config.metrics &&
    (await import('./operations/metrics.ts')).createMetrics({
      queued: () => llama?.engine.queued() ?? new Map(),
      engineRestarts: () => llama?.engine.restarts() ?? 0,
      limitsShared: () => limiter.scope() === 'shared',
    })
  const unmeasured = createGenerations({
    timeoutMs: config.generationTimeoutSeconds * 1000,
    maxAnswerBytes: config.bounds.answerBytes,
    keepAliveMs: config.keepAliveSeconds * 1000,
  })
  const generations = metrics?.measured(unmeasured) ?? unmeasured

  const recorder = createUsageRecorder({
    usage: storage.usage,
    flushMs: config.usageFlushSeconds * 1000,
    reportError: (error, lost) => logger.warn({ err: error, lost }, 'usage could not be written'),
  })

  const app = createApp({
    keys,
    models,
    generations,
    unread: new Unread(config.bounds),
    clock: createAnswerClock(config.generationTimeoutSeconds * 1000),
    recorder,
    limiter,
    rateLimit: config.rateLimit,
    bounds: config.bounds,
    lenient: config.lenient,
    keepAliveMs: config.keepAliveSeconds * 1000,
    logger,
    metrics,
    failures: config.faults ? createOrderedFailures(config.bounds) : undefined,
    async ready() {
      if (stopping) throw unavailable('The service is shutting down.', 1)
      await storage.check()
      await llama?.ready()
    },
    dashboard: async () =>
      (await import('./dashboard/dashboard-routes.ts')).dashboardRoutes({
        storage,
        password,
        models: () => models.models.map(({ id }) => id),
        reportError: (error) => logger.error({ err: error }, 'dashboard failed'),
        clientAddress: clientAddressOf(config.trustedProxies),
        hosts: [config.host.toLowerCase(), ...(config.dashboardHosts ?? [])],
        rateLimit: config.rateLimit,
        usageDelayMs: config.usageFlushSeconds * 1000,
      }),
    docs: docsRoutes(),
  })
  const server = createHttpServer(app, {
    requestTimeoutSeconds: config.requestTimeoutSeconds,
    ...connectionBounds(config),
    onRefused(refusal) {
      metrics?.countRequest('', refusal.status)
      logger.info(refusal, 'no request')
    },
  })
  // The main thread serves the figures of all workers.
  const metricsServer = metrics && worker === undefined ? createMetricsServer(metrics) : undefined

  async function stop(drainMs: number): Promise<void> {
    if (stopping) process.exit(1)
    stopping = true
    await stopHttpServer(server, {
      drainMs,
      graceMs: config.shutdownGraceSeconds * 1000,
      endAll: () => generations.abortAll(unavailable('The service is shutting down.', 1)),
    })
    // After this time the process ends whatever is still open.
    setTimeout(() => process.exit(1), CLOSE_MS).unref()
    metricsServer?.close().closeAllConnections()
    await Promise.all(engines.map((engine) => engine.close()))
    await limiter.close()
    await recorder.close()
    await storage.close()
    // The port is not closed, because the last lines of the log need it.
    parentPort?.unref()
  }
  // A second signal ends the process at once. A load balancer does not route to a process that ends with Ctrl-C.
  const end = (signal: NodeJS.Signals): unknown => stop(signal === 'SIGINT' ? 0 : config.drainSeconds * 1000)
  // Only the main thread receives signals.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end)
  parentPort?.on('message', async (message: ToWorker) => {
    if ('stop' in message) void end(message.stop)
    else message.figuresTo.postMessage(await metrics?.figures(), [])
  })

  const isFirst = worker?.port === undefined
  if (worker !== undefined && isFirst) await assertFree(config)
  const port = worker?.port ?? config.port
  const address = await listen(server, { host: config.host, port, reusePort: worker !== undefined })
  const metricsAddress = metricsServer && config.metrics && (await listen(metricsServer, config.metrics))
  // The password is made last, because it is shown only once, and the start may fail before.
  const generatedPassword = isFirst ? await stored(() => password.makeFirst()) : undefined
  const facts = {
    url: address,
    data: config.database === undefined ? folderOf(config) : databaseAddress(config.database.url),
    models: models.models.map(({ id }) => id),
    metrics: metricsAddress && `${metricsAddress}/metrics`,
    generatedPassword,
  }
  if (isFirst) process.stdout.write(await announce(facts, keys))
  parentPort?.postMessage({ port: (server.address() as AddressInfo).port } satisfies FromWorker, [])
}

const linesFor: Announce = async (facts) => `${startLines(facts).join('\n')}\n`

const folderOf = ({ dataDir }: Config): string => (dataDir === IN_MEMORY ? dataDir : resolve(dataDir))

/** Starts llama.cpp, if it has models: a mock loads none of its code. */
async function startLlama(config: Config, sandbox: Sandbox, created: number, logger: Logger) {
  const { models, folder, servesTiny } = config.llama
  if (models.length === 0 && folder === undefined && !servesTiny) return undefined
  return (await import('./models/llama-models.ts')).startLlama(config, sandbox, created, logger, warn)
}

/** Returns the result of `load`; a failure becomes one line that names the settings of the storage. */
async function stored<Value>(load: () => Promise<Value>): Promise<Value> {
  try {
    return await load()
  } catch (error) {
    throw new UsageError(`DATA_DIR, DATABASE_URL: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function startUpstream({ upstream }: Config, created: number): Engine[] {
  if (upstream.models.length === 0) return []
  const retry = { maxAttempts: upstream.attempts, maxTotalWaitMs: upstream.maxWaitSeconds * 1000 }
  const { models, concurrency, timeoutSeconds } = upstream
  return [createUpstreamEngine(models, { created, retry, silenceMs: timeoutSeconds * 1000, concurrency })]
}

function registryOf(engines: readonly Engine[]): ModelRegistry {
  try {
    return createModelRegistry(engines)
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error))
  }
}
