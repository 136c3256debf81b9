// The one entrance to all that compiles, interprets or matches a client's schema or pattern: it runs in worker processes
// that are killed at a deadline. Processes and not threads: a thread that runs out of memory may take its process along.
import { type ChildProcess, fork } from 'node:child_process'
import { extname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { ApiError, unavailable } from '../../../http/errors.ts'
import { costlySchema, invalidSchema } from '../../request-options.ts'
import { affordable } from './affordable.ts'
import { createFairQueue } from './fair-queue.ts'
import type { Job, JobResult, Problem } from './jobs.ts'
import type { FromSandboxWorker, ToSandboxWorker } from './worker.ts'

const WORKER = join(import.meta.dirname, `worker${extname(import.meta.filename)}`)

/** Nothing of the server's environment, which holds secrets, but where compiled code is kept, if it is. */
const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env
const ENVIRONMENT = { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE }

/** Jobs that wait for a worker, at most; more get a 503. */
const WAITING = { maxWaiting: 1024, maxWaitingOfOneKey: 256 }

/** Bounds of the result cache: entries, and characters of all of them and of one. */
const CACHE = { max: 1000, maxSize: 4_000_000, maxEntrySize: 1_000_000 }

/** How long a schema that took too long, or too much memory, is refused without another try, in milliseconds. */
const FAILURE_KEPT_MS = 5000

/** How long a worker may take to start, in milliseconds, and how often in a row it may end while it does. */
const START_TIMEOUT_MS = 60_000
const MAX_FAILED_STARTS = 3

export interface SandboxOptions {
  /** How long one job may run, in milliseconds. */
  readonly timeoutMs?: number
  /** Processes, at most; the first starts with the first job. */
  readonly workers?: number
  /** Heap of each, in MB. */
  readonly memoryMb?: number
}

/** Who asks. */
export interface SandboxClient {
  /** Aborts when nobody waits any more; the job is then ended. */
  readonly signal: AbortSignal
  /** Whose jobs take turns with those of others. */
  readonly keyId: string
}

export interface Sandbox {
  /**
   * Does `job`. Throws the 400 `invalid_schema` of schemas that exceed a limit, the 503 of a full queue, and what `client`
   * aborts with. `params` are the names of the job's schemas in the request.
   */
  run(job: Job, params: readonly string[], client: SandboxClient): Promise<JobResult>
  /** Ends all jobs and workers. Safe to call twice. */
  close(): Promise<void>
}

/** What came of a job: its result, or why there is none. */
type Outcome = { readonly result: JobResult } | { readonly costly: string }

interface Waiting {
  readonly job: Job
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

interface Worker {
  readonly child: ChildProcess
  ready: boolean
  running: { readonly waiting: Waiting; readonly key: string } | undefined
  /** Kills it when its time is over. */
  timer: NodeJS.Timeout
  late: boolean
}

export function createSandbox({
  timeoutMs = 1000,
  workers: most = 2,
  memoryMb = 256,
}: SandboxOptions = {}): Sandbox {
  const queue = createFairQueue<Waiting>(WAITING)
  const cache = new LRUCache<string, Outcome>(CACHE)
  const workers = new Set<Worker>()
  let failedStarts = 0
  let closed = false

  function start(): void {
    const child = fork(WORKER, {
      execArgv: [`--max-old-space-size=${memoryMb}`, '--expose-gc'],
      env: ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const worker: Worker = {
      child,
      ready: false,
      running: undefined,
      timer: kill(child, START_TIMEOUT_MS),
      late: false,
    }
    workers.add(worker)
    child.on('message', (message) => receive(worker, message as FromSandboxWorker))
    child.on('error', () => {
      child.kill('SIGKILL')
      ended(worker)
    })
    child.once('close', () => ended(worker))
  }

  function kill(child: ChildProcess, afterMs: number, onKill = (): void => {}): NodeJS.Timeout {
    return setTimeout(() => {
      onKill()
      child.kill('SIGKILL')
    }, afterMs).unref()
  }

  /** A worker keeps the process alive while it starts, and while somebody waits for it. */
  function hold({ child }: Worker, held: boolean): void {
    const what = held ? 'ref' : 'unref'
    child[what]()
    child.channel?.[what]()
  }

  function receive(worker: Worker, message: FromSandboxWorker): void {
    clearTimeout(worker.timer)
    const { running } = worker
    worker.ready = true
    worker.running = undefined
    failedStarts = 0
    if (message.type === 'done') running?.waiting.resolve({ result: message.result })
    else if (message.type === 'failed')
      running?.waiting.reject(
        new ApiError(500, 'engine_failed', 'The schema could not be compiled.', {
          cause: new Error(message.message),
        }),
      )
    hold(worker, false)
    schedule()
  }

  function ended(worker: Worker): void {
    clearTimeout(worker.timer)
    if (!workers.delete(worker)) return
    worker.running?.waiting.resolve({
      costly: worker.late
        ? `it takes longer than ${timeoutMs} ms to compile or to match`
        : `it takes more memory than the ${memoryMb} MB that it may take`,
    })
    if (closed) return
    if (!worker.ready) {
      failedStarts += 1
      if (failedStarts >= MAX_FAILED_STARTS) {
        failedStarts = 0
        const error = unavailable('Schemas cannot be compiled now.', 5)
        for (const { reject } of queue.clear()) reject(error)
        return
      }
    }
    // Replaced at once, so that the next job finds it warm.
    start()
    schedule()
  }

  /** One key never has all workers, unless there is only one. */
  function mayRun(key: string): boolean {
    const own = [...workers].filter(({ running }) => running?.key === key).length
    return own < Math.max(1, most - 1)
  }

  function schedule(): void {
    for (const worker of workers) {
      if (!worker.ready || worker.running !== undefined) continue
      const next = queue.take(mayRun)
      if (next === undefined) return
      dispatch(worker, next.key, next.entry)
    }
    const starting = [...workers].filter(({ ready }) => !ready).length
    if (queue.size() > starting && workers.size < most) start()
  }

  function dispatch(worker: Worker, key: string, waiting: Waiting): void {
    worker.running = { waiting, key }
    worker.timer = kill(worker.child, timeoutMs, () => (worker.late = true))
    hold(worker, true)
    const order: ToSandboxWorker = { job: waiting.job, giveUpMs: 2 * timeoutMs }
    worker.child.send(order, () => {})
  }

  async function trip(job: Job, { signal, keyId }: SandboxClient): Promise<Outcome> {
    signal.throwIfAborted()
    if (closed) throw unavailable('The service is shutting down.', 1)
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    const waiting: Waiting = { job, resolve, reject }
    function leave(): void {
      queue.remove(keyId, waiting)
      for (const { child, running } of workers) if (running?.waiting === waiting) child.kill('SIGKILL')
      reject(signal.reason)
    }
    if (!queue.add(keyId, waiting)) throw unavailable('Too many schemas wait to be compiled.', 1)
    signal.addEventListener('abort', leave)
    try {
      schedule()
      return await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  return {
    async run(job, params, client) {
      const whole = params.length === 1 ? (params[0] ?? 'tools') : 'tools'
      const { key, kept } = affordable(job, params, whole)
      const known = cache.get(key)
      const outcome = known ?? (await trip(job, client))
      if (known === undefined && kept) {
        const failed = 'costly' in outcome
        cache.set(key, outcome, {
          size: key.length + JSON.stringify(outcome).length,
          ...(failed && { ttl: FAILURE_KEPT_MS }),
        })
      }
      if ('costly' in outcome) throw costlySchema(whole, outcome.costly)
      return outcome.result
    },
    async close() {
      if (closed) return
      closed = true
      const error = unavailable('The service is shutting down.', 1)
      for (const { reject } of queue.clear()) reject(error)
      await Promise.all(
        [...workers].map(async (worker) => {
          const { child, running } = worker
          running?.waiting.reject(error)
          hold(worker, true)
          const gone = new Promise((resolve) => child.once('close', resolve))
          child.kill('SIGKILL')
          await gone
        }),
      )
    },
  }
}

/** The 400 of a schema that cannot be honoured. */
export function schemaRefusal(params: readonly string[], problem: Problem): ApiError {
  return invalidSchema(params[problem.place] ?? 'tools', problem)
}
