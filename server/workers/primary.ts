// `--workers N`: this process opens the port, counts the limits and gathers the figures; N workers serve. A worker that
// ends is started again; a signal ends all of them in the way in which one server ends.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { listen } from '../config/listen.ts'
import { createMetricsServer } from '../operations/metrics-server.ts'
import { createSharedLimits } from './shared-limits.ts'
import type { Stop } from './stop-message.ts'

/** How long a worker is left alone that ended, so that one which cannot start does not keep a core busy. */
const RESTART_MS = 1000

/** Starts the workers, and resolves when all of them serve. Ends the process where the first one cannot serve. */
export async function runPrimary({ workers, metrics }: Pick<Config, 'workers' | 'metrics'>): Promise<void> {
  const serveLimits = createSharedLimits()
  const running = new Set<Worker>()
  const listening = new WeakSet<Worker>()
  let serving = false
  let stopping = false

  function start(): Worker {
    const worker = cluster.fork()
    running.add(worker)
    worker.on('listening', () => listening.add(worker))
    serveLimits(worker)
    worker.on('exit', async (code: number | null) => {
      running.delete(worker)
      // A worker that cannot start serving has already printed the reason.
      if (!serving) process.exit(code ?? 1)
      await sleep(RESTART_MS)
      if (!stopping) start()
    })
    return worker
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (stopping) {
      for (const worker of running) worker.process.kill('SIGKILL')
      process.exit(1)
    }
    stopping = true
    serving = true
    const codes = await Promise.all(
      [...running].map(async (worker) => {
        const ended = once(worker, 'exit')
        // One that does not serve yet has nothing to finish, and hears nothing.
        if (!listening.has(worker)) worker.process.kill('SIGKILL')
        else worker.send({ type: 'stop', signal } satisfies Stop, () => {})
        const [code] = await ended
        return listening.has(worker) ? code : 0
      }),
    )
    process.exit(codes.every((code) => code === 0) ? 0 : 1)
  }
  process.on('SIGTERM', (signal) => void stop(signal))
  process.on('SIGINT', (signal) => void stop(signal))

  // Alone, so that one process makes the database and the operator's password.
  await once(start(), 'listening')
  serving = true
  await Promise.all(Array.from({ length: workers - 1 }, () => once(start(), 'listening')))
  if (metrics !== undefined) {
    const { createClusterMetrics } = await import('../operations/metrics.ts')
    const address = await listen(createMetricsServer(createClusterMetrics()), metrics)
    process.stdout.write(`  metrics     ${address}/metrics\n`)
  }
}
