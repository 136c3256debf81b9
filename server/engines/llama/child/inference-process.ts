// The child process that runs the models, and the only one that loads node-llama-cpp. A native crash ends this process
// and no other; it ends by itself when its parent ends.
import { TooMuchEffort } from '../../constrained/grammar/effort.ts'
import { createIdleCollector } from '../../idle-memory.ts'
import { generate } from './generate-choice.ts'
import type { LoadedModel } from './generate-choice.ts'
import { about, loadModel } from './load-model.ts'
import { checkHeader, isAddress } from './model-file.ts'
import { BUILD_OPTIONS } from './native-llama.ts'
import {
  firstLine,
  type FromChild,
  type LoadOrder,
  type RunEvent,
  type RunOrder,
  type ToChild,
} from '../process/process-messages.ts'
import { createIdleCache, type IdleCache } from './idle-cache.ts'

/** The minimum time between two `working` messages, in milliseconds. */
const WORKING_INTERVAL_MS = 1000

/** The models, by id. The parent never starts more runs of a model than it has sequences. */
let models: IdleCache<LoadedModel> | undefined
const runs = new Map<number, { cancelled: boolean }>()
let outbox: RunEvent[] = []
let flushing: NodeJS.Immediate | undefined
/** When progress was last reported. */
let reportedAt = -Infinity
const worked = createIdleCollector(() => runs.size > 0)

process.on('message', (message) => receive(message as ToChild))
// The parent has ended. SIGKILL, because an orderly exit would wait for the batch in flight.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// Ctrl-C reaches the whole process group: answers in flight may finish, and the parent then ends this process.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

function receive(message: ToChild): void {
  switch (message.type) {
    case 'load':
      load(message).then(
        () => send({ type: 'ready' }),
        (error: unknown) => send({ type: 'failed', message: firstLine(error) }),
      )
      break
    case 'run':
      void answer(message)
      break
    case 'cancel': {
      const run = runs.get(message.run)
      if (run !== undefined) run.cancelled = true
      break
    }
    case 'close':
      process.exit(0)
  }
}

async function load(order: LoadOrder): Promise<void> {
  // Obvious errors are reported before the slow work.
  for (const model of order.models) {
    if (!isAddress(model.source)) await about(model, checkHeader(model.source))
  }
  const llamaCpp = await import('node-llama-cpp')
  const llama = await llamaCpp.getLlama({
    gpu: order.gpu,
    // The library is neither compiled nor downloaded: a missing one is reported.
    build: 'never',
    // These options find the library of `npx touchstone llama-build`; without one, the prebuilt library runs.
    cmakeOptions: order.prebuilt ? {} : BUILD_OPTIONS,
    skipDownload: true,
    progressLogs: false,
    // No limit over all models: batches run one after another, each on the threads of its context.
    maxThreads: 0,
    logLevel: llamaCpp.LlamaLogLevel.warn,
    logger: (level, message) => send({ type: 'log', level, message }),
  })
  const sources = new Map(order.models.map((model) => [model.id, model]))
  models = createIdleCache<LoadedModel>({
    idleMs: order.idleMs,
    async load(id) {
      const source = sources.get(id)
      if (source === undefined) throw new Error(`no such model: ${id}`)
      const model = await showingWork(loadModel(source, { llamaCpp, llama, order, send, onBatch: flushSoon }))
      send({ type: 'loaded', model: model.facts })
      return model
    },
    async unload(model, id) {
      send({ type: 'unloaded', model: id })
      await model.unload()
    },
  })
  if (order.onUse) return
  for (const { id } of order.models) (await models.take(id)).release()
}

/** Sends `working` messages during `work`, because a large model takes long to load. */
async function showingWork<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => send({ type: 'working' }), WORKING_INTERVAL_MS)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}

/** Generates one choice. Always ends with exactly one event that is not text. */
async function answer(order: RunOrder): Promise<void> {
  const { run } = order
  let release = (): void => {}
  runs.set(run, { cancelled: false })
  try {
    const taken = await taking(order)
    if (taken === undefined) return
    release = taken.release
    const end = await generate(order, taken.value, {
      onStep,
      isCancelled: () => runs.get(run)?.cancelled === true,
      onPrompt(tokens) {
        emit({ run, type: 'prompt', tokens })
        flushSoon()
      },
      onText(part) {
        if (part.text !== '' || part.logprobs?.length) emit({ run, type: 'text', ...part })
      },
      onCall(chunk) {
        emit({ ...chunk, run, type: 'call' })
      },
    })
    emit(end)
  } catch (error) {
    if (error instanceof TooMuchEffort) emit({ run, type: 'too-costly' })
    else emit({ run, type: 'failed', message: firstLine(error) })
  } finally {
    runs.delete(run)
    release()
    flushSoon()
    worked()
  }
}

/** The model of a run; undefined if loading fails, which is then reported. */
async function taking({ run, model }: RunOrder) {
  try {
    if (models === undefined) throw new Error('nothing is loaded yet')
    return await models.take(model)
  } catch (error) {
    emit({ run, type: 'not-loaded', message: firstLine(error) })
    return undefined
  }
}

/** Sends a `working` message, because a long prompt takes time before there is text. */
function onStep(): void {
  if (performance.now() - reportedAt < WORKING_INTERVAL_MS) return
  reportedAt = performance.now()
  send({ type: 'working' })
}

function emit(event: RunEvent): void {
  outbox.push(event)
}

/** Sends the events so far as one message when the next batch is in flight, in another thread. */
function flushSoon(): void {
  flushing ??= setImmediate(() => {
    flushing = undefined
    if (outbox.length === 0) return
    const events = outbox
    outbox = []
    send({ type: 'events', events })
  })
}

function send(message: FromChild): void {
  // If the server has ended, sending fails and `disconnect` follows.
  process.send?.(message, undefined, undefined, () => {})
}
