// The only entry to code that compiles, interprets or matches a client's schema or pattern. The code runs in worker
// processes that are killed at a deadline. Processes, because a thread that runs out of memory may end the whole process.
// The queue, the workers and the deadlines are one state machine, so it is one file.
import { type ChildProcess, fork } from 'node:child_process'
import { extname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { ApiError, unavailable } from '../../../http/api-error.ts'
import { costlySchema, invalidSchema } from '../../request-options.ts'
import { affordable } from './schema-limits.ts'
import { createFairQueue } from './fair-queue.ts'
import type { Job, JobResult, JobProblem } from './sandbox-jobs.ts'
import type { FromSandboxWorker, ToSandboxWorker } from './sandbox-worker.ts'

const WORKER = join(import.meta.dirname, `sandbox-worker${extname(import.meta.filename)}`)

/** The workers get none of the server's environment, which has secrets, except the place of the compile cache. */
const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env
const ENVIRONMENT = { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE }

/** Maximum number of jobs that wait for a worker; more get a 503. */
const WAITING = { maxWaiting: 1024, maxWaitingOfOneKey: 256 }

/** Bounds of the result cache: entries, and characters of all of them and of one. */
const CACHE = { max: 1000, maxSize: 4_000_000, maxEntrySize: 1_000_000 }

/** The time for which a schema that took too long or too much memory is refused without a retry, in milliseconds. */
const FAILURE_KEPT_MS = 5000

/** Maximum time to start a worker, in milliseconds, and maximum number of failed starts in a row. */
const START_TIMEOUT_MS = 60_000
const MAX_FAILED_STARTS = 3

/**
 * If a job used less CPU time than this share of its timeout, the machine was too busy for it. The job is tried again
 * with `RETRY_TIMEOUTS` times the time.
 */
const CPU_SHARE = 0.8
const RETRY_TIMEOUTS = 2

/** A job waits for a worker for at most this multiple of its timeout, and then gets a 503. */
const QUEUE_TIMEOUTS = 10

export interface SandboxOptions {
  /** Maximum time of one job, in milliseconds. */
  readonly timeoutMs?: number
  /** Maximum number of processes; the first starts with the first job. */
  readonly workers?: number
  /** Heap of each process, in MB. */
  readonly memoryMb?: number
  /** Starts a worker process with this heap; tests replace it. */
  readonly startWorker?: (memoryMb: number) => ChildProcess
}

export interface SandboxClient {
  /** Aborts when the client disconnects; the job then ends. */
  readonly signal: AbortSignal
  /** The API key: its jobs take turns with those of other keys. */
  readonly keyId: string
}

export type Sandbox = ReturnType<typeof createSandbox>

/** The result of a job, or the reason why there is none. */
type Outcome = { readonly result: JobResult } | { readonly costly: string }

interface Waiting {
  readonly job: Job
  /** The key that it counts for. */
  readonly key: string
  /** Whether it is tried for the second time, on a worker that has had no other job. */
  isRetry: boolean
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

interface Worker {
  readonly child: ChildProcess
  ready: boolean
  running: Waiting | undefined
  /** Kills the worker if it does not start, or does not stop a job by itself. */
  timer: NodeJS.Timeout
  /** Whether it has had a job. */
  used: boolean
  /** Why it was killed, if it was; `starved`: not because of its job. A killed worker gets no further job. */
  killed: 'late' | 'starved' | 'left' | undefined
}

export function createSandbox({
  timeoutMs = 1000,
  workers: most = 2,
  memoryMb = 256,
  startWorker = forkWorker,
}: SandboxOptions = {}) {
  const queue = createFairQueue<Waiting>(WAITING)
  const cache = new LRUCache<string, Outcome>(CACHE)
  const workers = new Set<Worker>()
  /** Jobs whose worker has ended. */
  let retries: Waiting[] = []
  const TOO_LATE: Outcome = { costly: `it takes longer than ${timeoutMs} ms to compile or to match` }
  let failedStarts = 0
  let closed = false

  function start(): void {
    const child = startWorker(memoryMb)
    const worker: Worker = {
      child,
      ready: false,
      running: undefined,
      timer: setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS).unref(),
      used: false,
      killed: undefined,
    }
    workers.add(worker)
    child.on('message', (message) => receive(worker, message as FromSandboxWorker))
    child.on('error', () => {
      child.kill('SIGKILL')
      ended(worker)
    })
    child.once('close', (_code, signal) => {
      // V8 ends a process without memory by another signal: this one came from outside.
      if (signal === 'SIGKILL') worker.killed ??= 'starved'
      ended(worker)
    })
  }

  function kill(worker: Worker, reason: Worker['killed']): void {
    worker.killed ??= reason
    worker.child.kill('SIGKILL')
  }

  /** A worker keeps the server's process alive while it starts and while it has a job. */
  function hold({ child }: Worker, held: boolean): void {
    const what = held ? 'ref' : 'unref'
    child[what]()
    child.channel?.[what]()
  }

  function receive(worker: Worker, message: FromSandboxWorker): void {
    if (worker.killed !== undefined) return
    clearTimeout(worker.timer)
    const { running } = worker
    if (message.type === 'late' && message.cpuMs < CPU_SHARE * timeoutMs) return kill(worker, 'starved')
    worker.ready = true
    worker.running = undefined
    failedStarts = 0
    if (message.type === 'done') running?.resolve({ result: message.result })
    else if (message.type === 'late') running?.resolve(TOO_LATE)
    else if (message.type === 'failed')
      running?.reject(
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
    if (worker.running !== undefined) lost(worker.running, worker.killed)
    if (closed) return
    if (!worker.ready) {
      failedStarts += 1
      if (failedStarts >= MAX_FAILED_STARTS) {
        failedStarts = 0
        return rejectWaiting(unavailable('Schemas cannot be compiled now.', 5))
      }
    }
    // The replacement starts now, so that it is ready for the next job.
    start()
    schedule()
  }

  function rejectWaiting(error: ApiError): void {
    for (const { reject } of [...retries, ...queue.clear()]) reject(error)
    retries = []
  }

  /** The worker of this job has ended. The job is the cause only if the worker had no other job before. */
  function lost(waiting: Waiting, killed: Worker['killed']): void {
    if (killed === 'left') return
    if (!waiting.isRetry) {
      waiting.isRetry = true
      retries.push(waiting)
    } else if (killed === 'starved') waiting.reject(unavailable('Schemas cannot be compiled in time now.', 5))
    else if (killed === 'late') waiting.resolve(TOO_LATE)
    else waiting.resolve({ costly: `it takes more memory than the ${memoryMb} MB that it may take` })
  }

  /** One worker always remains for other keys, unless there is only one. */
  function mayRun(key: string): boolean {
    const own = [...workers].filter(({ running }) => running?.key === key).length
    return own < Math.max(1, most - 1)
  }

  function schedule(): void {
    for (const worker of workers) {
      if (!worker.ready || worker.running !== undefined || worker.killed !== undefined) continue
      const retry = worker.used ? -1 : retries.findIndex(({ key }) => mayRun(key))
      const next = retry < 0 ? queue.take(mayRun)?.entry : retries.splice(retry, 1)[0]
      if (next !== undefined) dispatch(worker, next)
    }
    const starting = [...workers].filter(({ ready }) => !ready).length
    if (queue.size() + retries.length > starting && workers.size < most) start()
  }

  function dispatch(worker: Worker, waiting: Waiting): void {
    const time = waiting.isRetry ? RETRY_TIMEOUTS * timeoutMs : timeoutMs
    // If this process was blocked, it first reads a result that has arrived.
    const stop = () => setImmediate(() => worker.running === waiting && kill(worker, 'late'))
    worker.running = waiting
    worker.used = true
    worker.timer = setTimeout(stop, 2 * time).unref()
    hold(worker, true)
    const order: ToSandboxWorker = { job: JSON.stringify(waiting.job), timeoutMs: time }
    worker.child.send(order, () => {})
  }

  async function roundTrip(job: Job, { signal, keyId }: SandboxClient): Promise<Outcome> {
    signal.throwIfAborted()
    if (closed) throw unavailable('The service is shutting down.', 1)
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    const waiting: Waiting = { job, key: keyId, isRetry: false, resolve, reject }
    function leave(): void {
      queue.remove(keyId, waiting)
      retries = retries.filter((retry) => retry !== waiting)
      for (const worker of workers) if (worker.running === waiting) kill(worker, 'left')
      reject(signal.reason)
    }
    if (!queue.add(keyId, waiting)) throw unavailable('Too many schemas wait to be compiled.', 1)
    const patience = setTimeout(() => {
      if (queue.remove(keyId, waiting)) reject(unavailable('Too many schemas wait to be compiled.', 1))
    }, QUEUE_TIMEOUTS * timeoutMs).unref()
    signal.addEventListener('abort', leave)
    try {
      schedule()
      return await promise
    } finally {
      clearTimeout(patience)
      signal.removeEventListener('abort', leave)
    }
  }

  return {
    /**
     * Runs `job`. Throws a 400 `invalid_schema` if a schema exceeds a limit, a 503 if the queue is full or the machine too
     * busy, and the abort reason of `client`. `params` are the names of the job's schemas in the request.
     */
    async run(job: Job, params: readonly string[], client: SandboxClient): Promise<JobResult> {
      const whole = params.length === 1 ? (params[0] ?? 'tools') : 'tools'
      const key = affordable(job, params, whole)
      const known = key === undefined ? undefined : cache.get(key)
      const outcome = known ?? (await roundTrip(job, client))
      if (known === undefined && key !== undefined) {
        const failed = 'costly' in outcome
        cache.set(key, outcome, {
          size: key.length + JSON.stringify(outcome).length,
          ...(failed && { ttl: FAILURE_KEPT_MS }),
        })
      }
      if ('costly' in outcome) throw costlySchema(whole, outcome.costly)
      return outcome.result
    },
    /** Ends all jobs and workers. Safe to call twice. */
    async close(): Promise<void> {
      if (closed) return
      closed = true
      const error = unavailable('The service is shutting down.', 1)
      rejectWaiting(error)
      await Promise.all(
        [...workers].map(async (worker) => {
          const { child, running } = worker
          running?.reject(error)
          hold(worker, true)
          const gone = new Promise((resolve) => child.once('close', resolve))
          child.kill('SIGKILL')
          await gone
        }),
      )
    },
  }
}

function forkWorker(memoryMb: number): ChildProcess {
  return fork(WORKER, {
    execArgv: [],
    // The one executable reads flags of Node from this variable alone.
    env: { ...ENVIRONMENT, NODE_OPTIONS: `--max-old-space-size=${memoryMb} --expose-gc` },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

/** The 400 for a schema that the server cannot support. */
export function schemaRefusal(params: readonly string[], problem: JobProblem): ApiError {
  return invalidSchema(params[problem.place] ?? 'tools', problem)
}
