// The child process that runs the models, and the only one that loads node-llama-cpp. A native crash ends this process
// and no other; it ends by itself when its parent is gone.
import type { LlamaContextSequence, LlamaModel } from 'node-llama-cpp'
import { firstLine } from './first-line.ts'
import { generate, type LoadedModel } from './llama-generation.ts'
import { checkHeader, download, isAddress } from './llama-model-file.ts'
import type {
  FromWorker,
  LlamaModelSource,
  LoadOrder,
  ModelFacts,
  RunEvent,
  RunOrder,
  ToWorker,
} from './llama-protocol.ts'
import { chatTemplates } from './llama-template.ts'
import type { Vocabulary } from './token-bytes.ts'

/** A model below this size is faster on one thread: handing its small matrices to others takes longer than the work. */
const SINGLE_THREAD_BELOW_BYTES = 64 * 1024 * 1024

/** The least time between two messages that work goes on, in milliseconds. */
const WORKING_INTERVAL_MS = 1000

interface ServedModel extends LoadedModel {
  /** Free sequences; the parent never asks for more runs than there are. */
  readonly sequences: LlamaContextSequence[]
}

const served = new Map<string, ServedModel>()
const runs = new Map<number, { cancelled: boolean }>()
let outbox: RunEvent[] = []
/** When it was last told that work goes on. */
let toldAt = -Infinity

process.on('message', (message) => receive(message as ToWorker))
// An orphan has nobody to answer. SIGKILL, because an orderly exit would wait for the batch in flight.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// Ctrl-C reaches the whole process group: answers under way may finish, and the parent then ends this process.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

function receive(message: ToWorker): void {
  switch (message.type) {
    case 'load':
      load(message).then(
        (models) => send({ type: 'ready', models }),
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

async function load(order: LoadOrder): Promise<ModelFacts[]> {
  // What is wrong at a glance is said before anything slow begins.
  for (const model of order.models) {
    if (!isAddress(model.source)) await about(model, checkHeader(model.source))
  }
  const llamaCpp = await import('node-llama-cpp')
  const llama = await llamaCpp.getLlama({
    gpu: order.gpu,
    // Never compile and never download: what is installed runs, or the operator is told.
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    // No limit over all models: batches run one after another, each on the threads of its context.
    maxThreads: 0,
    logLevel: llamaCpp.LlamaLogLevel.warn,
    logger: (level, message) => send({ type: 'log', level, message }),
  })
  const facts: ModelFacts[] = []
  for (const model of order.models) served.set(model.id, await about(model, loadModel(model)))
  return facts

  async function loadModel(configured: LlamaModelSource): Promise<ServedModel> {
    const model = await llama.loadModel({ modelPath: await locate(configured) })
    const template = model.fileInfo.metadata.tokenizer?.chat_template
    if (template === undefined) throw new Error('it has no chat template')
    const small = model.size < SINGLE_THREAD_BELOW_BYTES
    const threads = small ? 1 : order.threads
    const contextSize = Math.min(order.contextTokens, model.trainContextSize)
    const context = await model.createContext({ sequences: order.slots, contextSize, threads })
    const contextTokens = Math.min(contextSize, context.contextSize)
    facts.push({
      id: configured.id,
      backend: llama.gpu === false ? 'CPU' : llama.gpu,
      compiledHere: llama.buildType === 'localBuild',
      threads,
      small,
      slots: order.slots,
      contextTokens,
      trainedContextTokens: model.trainContextSize,
    })
    return {
      model,
      templates: chatTemplates(llamaCpp.JinjaTemplateChatWrapper, template),
      sequences: Array.from({ length: order.slots }, () => context.getSequence({ contextShift: neverShift })),
      contextTokens,
      longestTokenBytes: longestToken(model),
      vocabulary: vocabularyOf(model),
      createBias: () => llamaCpp.TokenBias.for(model),
    }
  }

  async function locate({ id, source }: LlamaModelSource): Promise<string> {
    if (!isAddress(source)) return source
    const path = await download(source, {
      resolve: llamaCpp.resolveModelFile,
      directory: order.modelsDirectory,
      onProgress(downloadedBytes, totalBytes) {
        send({ type: 'downloading', model: id, downloadedBytes, totalBytes })
      },
    })
    await checkHeader(path)
    return path
  }
}

/** The result of `work`; a failure says which model it is about. */
async function about<T>({ id }: LlamaModelSource, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new Error(`the model '${id}' cannot be loaded: ${firstLine(error)}`, { cause: error })
  }
}

/** What does not fit is refused before it is evaluated; if that ever failed, an error is better than a silent cut. */
const neverShift = {
  strategy(): never {
    throw new Error('the context is full')
  },
}

/** What the file says of its tokens; nothing where it does not. */
function vocabularyOf(model: LlamaModel): Vocabulary {
  const { model: kind, tokens } = model.fileInfo.metadata.tokenizer?.ggml ?? {}
  return { kind: kind ?? '', tokens: Array.isArray(tokens) ? tokens : [] }
}

function longestToken(model: LlamaModel): number {
  const lengths = model.iterateAllTokens().map((token) => Buffer.byteLength(model.detokenize([token], true)))
  return lengths.reduce((longest, length) => Math.max(longest, length), 1)
}

/** Generates one choice. Whatever happens, its last event is exactly one that is not text. */
async function answer(order: RunOrder): Promise<void> {
  const { run } = order
  const model = served.get(order.model)
  const sequence = model?.sequences.pop()
  if (model === undefined || sequence === undefined) {
    emit({ run, type: 'failed', message: 'no such model, or no free slot' })
    return
  }
  runs.set(run, { cancelled: false })
  try {
    const end = await generate(order, model, sequence, {
      onStep,
      isCancelled: () => runs.get(run)?.cancelled === true,
      onText(text, logprobs) {
        if (logprobs === undefined) {
          if (text !== '') emit({ run, type: 'text', text })
        } else if (text !== '' || logprobs.length > 0) emit({ run, type: 'text', text, logprobs })
      },
      onCall(piece) {
        emit({ ...piece, run, type: 'call' })
      },
    })
    emit(end)
  } catch (error) {
    emit({ run, type: 'failed', message: firstLine(error) })
  } finally {
    runs.delete(run)
    model.sequences.push(sequence)
  }
}

/** Tells that work goes on, also where nothing is to be shown of it, as in a long prompt. */
function onStep(): void {
  if (performance.now() - toldAt < WORKING_INTERVAL_MS) return
  toldAt = performance.now()
  send({ type: 'working' })
}

/** Events of one tick travel as one message. */
function emit(event: RunEvent): void {
  if (outbox.length === 0) {
    setImmediate(() => {
      const events = outbox
      outbox = []
      send({ type: 'events', events })
    })
  }
  outbox.push(event)
}

function send(message: FromWorker): void {
  process.send?.(message)
}
