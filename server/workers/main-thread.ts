// `--workers N`: N threads serve one port and count limits in memory that they share. This thread starts, restarts and
// stops them, and gathers their metrics.
import { setTimeout as sleep } from 'node:timers/promises'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Config } from '../config/config.ts'
import { listen } from '../config/listen-on-port.ts'
import { createLogger, writeLines } from '../http/observability.ts'
import { createLimitMemory, freeThread } from '../limits/memory-limiter.ts'
import type { Figures } from '../operations/metrics.ts'
import { createMetricsServer } from '../operations/metrics-server.ts'
import type { FromWorker, ToWorker, WorkerPlace } from './worker-messages.ts'

const ENTRY = new URL('../main.js', import.meta.url)

/** The pause before a worker is restarted, in milliseconds, so that one that cannot start keeps no core busy. */
const RESTART_MS = 1000

/** How long a worker may take to send its figures, in milliseconds. */
const FIGURES_MS = 5000

/** Starts the workers, and resolves when all of them serve. Ends the process if the first one cannot serve. */
export async function runWorkers({ workers, metrics, logLevel }: Config): Promise<void> {
  const logger = createLogger(logLevel)
  const limits = createLimitMemory(workers)
  const running = new Set<Worker>()
  const serving = new Set<Worker>()
  let port: number | undefined
  let stopping = false

  /** Resolves when the worker serves. */
  function start(thread: number): Promise<void> {
    const workerData: WorkerPlace = { thread, limits, port }
    const worker = new Worker(ENTRY, { argv: process.argv.slice(2), workerData })
    running.add(worker)
    worker.on('error', (err) => logger.fatal({ err }, 'a worker failed'))
    worker.on('exit', async (code) => {
      running.delete(worker)
      serving.delete(worker)
      // The first worker has already printed the reason.
      if (port === undefined) process.exit(code)
      await Promise.all([freeThread(limits, thread), sleep(RESTART_MS)])
      if (!stopping) await start(thread)
    })
    return new Promise((resolve) => {
      worker.on('message', (message: FromWorker) => {
        if ('lines' in message) return writeLines(logger, message.lines)
        port = message.port
        serving.add(worker)
        resolve()
      })
    })
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (stopping) process.exit(1)
    stopping = true
    const codes = await Promise.all(
      [...running].map((worker) => {
        // A worker that does not serve yet has nothing to finish.
        if (!serving.has(worker)) return 0
        worker.postMessage({ stop: signal } satisfies ToWorker, [])
        return new Promise<number>((resolve) => worker.once('exit', resolve))
      }),
    )
    process.exit(codes.every((code) => code === 0) ? 0 : 1)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)

  // The first worker starts alone, because it creates the database and the operator's password.
  await start(0)
  await Promise.all(Array.from({ length: workers - 1 }, (_, place) => start(place + 1)))
  if (metrics !== undefined) {
    const { createGatheredMetrics } = await import('../operations/metrics.ts')
    const gathered = createGatheredMetrics(() => Promise.all([...serving].map(figuresOf)))
    const address = await listen(createMetricsServer(gathered), metrics)
    process.stdout.write(`  metrics     ${address}/metrics\n`)
  }
}

/** Rejects if the worker ends or does not answer. */
function figuresOf(worker: Worker): Promise<Figures> {
  const { port1, port2 } = new MessageChannel()
  worker.postMessage({ figuresTo: port2 } satisfies ToWorker, [port2])
  const timer = setTimeout(() => port1.close(), FIGURES_MS)
  return new Promise((resolve, reject) => {
    port1.once('close', () => reject(new Error('a worker sent no figures')))
    port1.once('message', (figures: Figures) => {
      clearTimeout(timer)
      resolve(figures)
      port1.close()
    })
  })
}
