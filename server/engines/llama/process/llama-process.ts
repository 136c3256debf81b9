// Manages the child process that runs the models: starts it, restarts it when it ends, and waits for it only within time
// limits. When it ends, the runs in flight fail and the server continues. It is one state machine, so it is one file.
import { type ChildProcess, fork } from 'node:child_process'
import { extname, join } from 'node:path'
import type { Logger } from 'pino'
import { ApiError, unavailable } from '../../../http/api-error.ts'
import { childEnvironment } from './child-environment.ts'
import type {
  FromChild,
  LoadOptions,
  ModelFacts,
  RunCall,
  RunEnd,
  RunEvent,
  RunOrder,
  RunText,
  ToChild,
} from './process-messages.ts'

/** Maximum number of exits of a child that was never ready; after that, a model is assumed to be the cause. */
const MAX_LOAD_ATTEMPTS = 3

/**
 * The spin count of the threads of a batch before they sleep, about a tenth of a millisecond: long enough for the
 * threads of one batch to meet, and short enough to free the core for other work between two batches.
 */
const SPIN_COUNT = '5000'

const WORKER = join(import.meta.dirname, '..', 'child', `inference-process${extname(import.meta.filename)}`)

export interface LlamaProcessOptions extends LoadOptions {
  readonly logger: Logger
  /** The wait before the first restart, in milliseconds; it doubles while the child keeps ending. Default: 250. */
  readonly restartDelayMs?: number
  /** The longest such wait; a child that lived longer than this is restarted after the first delay again. Default: 30 000. */
  readonly maxRestartDelayMs?: number
  /** Maximum time until the child confirms a cancelled run; then it is killed and replaced. Default: 120 000. */
  readonly cancelTimeoutMs?: number
  /** Maximum silence of the child while runs are in flight; then it is killed and replaced. Default: 120 000. */
  readonly stallTimeoutMs?: number
  /** The grace period for the child to end by itself; then it is killed. Default: 2000. */
  readonly closeTimeoutMs?: number
  onDownload?(progress: DownloadProgress): void
  /** A model is loaded: at the start, when it is used, and again after each restart. */
  onLoaded?(model: ModelFacts): void
}

export interface DownloadProgress {
  readonly model: string
  readonly downloadedBytes: number
  readonly totalBytes: number
}

/** The models could not be loaded at the start. The message is one line for the operator. */
export class LlamaLoadError extends Error {
  override readonly name = 'LlamaLoadError'
}

export type LlamaProcess = ReturnType<typeof startLlamaProcess>

export interface RunListener {
  readonly signal: AbortSignal
  /** Receives the number of tokens of the prompt that are evaluated or in evaluation. */
  onPrompt?(tokens: number): void
  onText(chunk: RunText): void
  /** Called only if the order's grammar has calls. */
  onCall?(chunk: RunCall): void
}

interface Run extends Omit<RunListener, 'signal'> {
  resolve(end: RunEnd): void
  reject(error: unknown): void
}

export function startLlamaProcess(options: LlamaProcessOptions) {
  const { logger, restartDelayMs = 250, maxRestartDelayMs = 30_000 } = options
  const { cancelTimeoutMs = 120_000, stallTimeoutMs = 120_000, closeTimeoutMs = 2000 } = options
  const loaded = Promise.withResolvers<void>()
  // If the caller does not wait for the models, the first request reports the failure.
  loaded.promise.catch(() => {})
  const runs = new Map<number, Run>()
  let nextRun = 0
  let state: 'loading' | 'ready' | 'restarting' | 'failed' | 'closed' = 'loading'
  let loadAttempts = 0
  let failures = 0
  let restarts = 0
  let prebuilt = false
  let startedAt = 0
  let loadMs = 0
  let restartAt = 0
  let restartTimer: NodeJS.Timeout | undefined
  let child: ChildProcess | undefined
  let watchdog: NodeJS.Timeout | undefined
  const closed = Promise.withResolvers<void>()

  start()

  return {
    /** Settles when the models were loaded for the first time, or throws `LlamaLoadError`. */
    loaded: loaded.promise,
    /** Whether it accepts runs now. */
    isReady: () => state === 'ready',
    /** The child's process id, if there is a child. */
    pid: () => child?.pid,
    /** The number of restarts of the child. */
    restarts: () => restarts,
    run,
    close,
  }

  function start(): void {
    startedAt = performance.now()
    const started = fork(WORKER, {
      // One pool thread: several threads that run batches would compete for the cores, and batch-scheduler.ts relies on the
      // order of execution.
      env: { GOMP_SPINCOUNT: SPIN_COUNT, ...childEnvironment(process.env), UV_THREADPOOL_SIZE: '1' },
      // Profiles both processes, if the server is profiled.
      execArgv: ['--expose-gc', ...process.execArgv.filter((flag) => flag.startsWith('--cpu-prof'))],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    child = started
    for (const stream of [started.stdout, started.stderr]) {
      stream?.on('data', (chunk: Buffer) => logger.debug({ llama: chunk.toString().trimEnd() }))
    }
    started.on('message', (message) => receive(message as FromChild))
    started.on('error', (error) => logger.error({ err: error }, 'the inference process failed'))
    started.on('close', (code, signal) => ended(code, signal))
    const { models, modelsDirectory, threads, slots, contextTokens } = options
    const { threadsMayShrink = false, contextBytes = null, gpu = false } = options
    const { onUse = false, idleMs = null } = options
    const loading = { models, modelsDirectory, onUse, idleMs, threads, threadsMayShrink, gpu }
    send({ type: 'load', ...loading, slots, contextTokens, contextBytes, prebuilt })
  }

  function receive(message: FromChild): void {
    watchdog?.refresh()
    switch (message.type) {
      case 'log':
        logger.debug({ llama: message.message, level: message.level })
        break
      case 'downloading':
        options.onDownload?.(message)
        break
      case 'working':
        break
      case 'ready':
        if (state === 'closed') break
        loadMs = performance.now() - startedAt
        state = 'ready'
        loaded.resolve()
        logger.info({ ms: Math.round(loadMs) }, 'the models are ready')
        break
      case 'loaded':
        options.onLoaded?.(message.model)
        break
      case 'unloaded':
        logger.info({ model: message.model }, 'an unused model is unloaded')
        break
      case 'failed':
        loadFailed(message.message)
        child?.kill('SIGKILL')
        break
      case 'events':
        for (const event of message.events) deliver(event)
    }
  }

  function deliver(event: RunEvent): void {
    const run = runs.get(event.run)
    if (run === undefined) return
    if (event.type === 'prompt') run.onPrompt?.(event.tokens)
    else if (event.type === 'text') run.onText(event)
    else if (event.type === 'call') run.onCall?.(event)
    else run.resolve(event)
  }

  function ended(code: number | null, signal: NodeJS.Signals | null): void {
    child = undefined
    if (signal === 'SIGILL' && !prebuilt) {
      prebuilt = true
      logger.warn(
        'llama.cpp met an instruction that this processor does not have: the prebuilt library runs from now on',
      )
    }
    clearTimeout(watchdog)
    watchdog = undefined
    for (const run of runs.values()) {
      run.reject(new ApiError(500, 'engine_failed', 'The model stopped while it was answering.'))
    }
    if (state === 'closed') closed.resolve()
    // Before the models were ready for the first time, requests wait for the next start instead of being refused.
    if (state === 'ready') state = 'restarting'
    if (state === 'loading') {
      loadAttempts += 1
      if (loadAttempts === MAX_LOAD_ATTEMPTS) {
        loadFailed(`the inference process ended ${loadAttempts} times while it loaded the models`)
      }
    }
    if (state === 'closed' || state === 'failed') return
    if (performance.now() - startedAt > maxRestartDelayMs) failures = 0
    const delayMs = Math.min(restartDelayMs * 2 ** failures, maxRestartDelayMs)
    failures += 1
    restarts += 1
    restartAt = performance.now() + delayMs
    restartTimer = setTimeout(start, delayMs)
    logger.error({ code, signal, delayMs }, 'the inference process ended; it is started again')
  }

  /** A failure of the first start is final; after it the child is restarted. */
  function loadFailed(message: string): void {
    logger.error({ reason: message }, 'the models cannot be loaded')
    if (state !== 'loading') return
    state = 'failed'
    loaded.reject(new LlamaLoadError(message))
  }

  /**
   * Generates one choice. An abort of `signal` stops it after the batch in flight; it then ends as `cancelled`.
   * Throws a 503 if no child is ready, and a 500 if it ends during the run.
   */
  async function run(
    order: Omit<RunOrder, 'type' | 'run'>,
    { signal, ...listener }: RunListener,
  ): Promise<RunEnd> {
    signal.throwIfAborted()
    if (state !== 'ready') throw notReady()
    const run = nextRun
    nextRun += 1
    const { promise, resolve, reject } = Promise.withResolvers<RunEnd>()
    let hanging: NodeJS.Timeout | undefined
    const asked = child
    function cancel(): void {
      send({ type: 'cancel', run })
      hanging = setTimeout(() => asked?.kill('SIGKILL'), cancelTimeoutMs)
      hanging.unref()
    }
    runs.set(run, { ...listener, resolve, reject })
    watchdog ??= watch(child)
    signal.addEventListener('abort', cancel)
    send({ ...order, type: 'run', run })
    try {
      return await promise
    } finally {
      runs.delete(run)
      if (runs.size === 0) {
        clearTimeout(watchdog)
        watchdog = undefined
      }
      clearTimeout(hanging)
      signal.removeEventListener('abort', cancel)
    }
  }

  /** Kills a child that is silent for too long; each message restarts the time. */
  function watch(watched: ChildProcess | undefined): NodeJS.Timeout {
    return setTimeout(() => {
      logger.error({ ms: stallTimeoutMs }, 'the inference process is stuck; it is killed')
      watched?.kill('SIGKILL')
    }, stallTimeoutMs).unref()
  }

  function notReady(): ApiError {
    const waitMs = Math.max(0, restartAt - performance.now()) + loadMs
    return unavailable('The model is not ready.', Math.max(1, Math.ceil(waitMs / 1000)))
  }

  function send(message: ToChild): void {
    // A message to a child that has just ended is lost; the `close` event handles that.
    if (child?.connected === true) child.send(message, () => {})
  }

  /** Ends the child and the runs in flight. Safe to call twice. */
  async function close(): Promise<void> {
    if (state !== 'closed') {
      state = 'closed'
      loaded.reject(new LlamaLoadError('closed before the models were loaded'))
      clearTimeout(restartTimer)
      if (child === undefined) closed.resolve()
      send({ type: 'close' })
      const kill = setTimeout(() => child?.kill('SIGKILL'), closeTimeoutMs)
      void closed.promise.then(() => clearTimeout(kill))
    }
    await closed.promise
  }
}
