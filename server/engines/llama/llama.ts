// The engine for GGUF models, through node-llama-cpp in a child process: a crash of native code costs the answers
// under way, never the server. Exactly what is asked for is sampled, and a prompt is never cut.
import { randomInt } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Logger } from 'pino'
import type { Engine } from '../engine.ts'
import { answer, SEEDS, tooLong } from './answer.ts'
import { formOrder, formPrompt } from './answer-grammar.ts'
import { type DownloadProgress, startLlamaProcess } from './process.ts'
import { leastTokens, toPrompt } from './prompt.ts'
import type { LlamaModelSource, ModelFacts } from './protocol.ts'
import { createSlotQueue } from './slot-queue.ts'
import { refuseUnsupported, textSupport } from '../support.ts'

export interface LlamaEngineOptions {
  readonly models: readonly LlamaModelSource[]
  /** When the models came to be, in Unix seconds, as the model list shows it. */
  readonly created: number
  /** Where models from `hf:` addresses are kept. */
  readonly modelsDirectory: string
  readonly threads: number
  /** Whether a small model gets one thread all the same. Default: false. */
  readonly threadsMayShrink?: boolean
  /** Answers that are generated side by side, for each model. */
  readonly slots: number
  /** Tokens that a prompt and its answer may have together; at most what the model was trained on. */
  readonly contextTokens: number
  /** Whether fewer tokens will do where memory is short. Default: false. */
  readonly contextMayShrink?: boolean
  readonly logger: Logger
  /** `auto` uses a GPU where a build for it is installed. Default: false. */
  readonly gpu?: false | 'auto'
  /** Whether a model is loaded when it is first used, instead of at the start. Default: false. */
  readonly onUse?: boolean
  /** How long a model that nobody uses stays loaded, in milliseconds; null for ever. Default: null. */
  readonly idleMs?: number | null
  /** Requests that may wait for a slot of one model; more get 503. Default: 64. */
  readonly maxWaiting?: number
  /** How long a request may wait for the first load or a slot before it gets 503, in milliseconds. Default: 30 000. */
  readonly maxWaitMs?: number
  /** The wait before the child is restarted after a crash; it doubles while it keeps crashing. Default: 250. */
  readonly restartDelayMs?: number
  /** The longest such wait. Default: 30 000. */
  readonly maxRestartDelayMs?: number
  /** How long the child may take to stop an abandoned answer before it is killed and replaced. Default: 120 000. */
  readonly cancelTimeoutMs?: number
  /** How long the child may say nothing while it answers before it is killed and replaced. Default: 120 000. */
  readonly stallTimeoutMs?: number
  /** How long the child may take to end on `close` before it is killed. Default: 2000. */
  readonly closeTimeoutMs?: number
  onDownload?(progress: DownloadProgress): void
  /** A model is loaded: at the start, when it is used, and again after each restart. */
  onLoaded?(model: ModelFacts): void
  /** Draws the seed of a choice where none was given, from 0 to 2³² − 2. Default: cryptographic. */
  randomSeed?(): number
}

export interface LlamaEngine extends Engine {
  /** Settles when all models are loaded for the first time; throws `LlamaLoadError`, whose message is one line. */
  readonly loaded: Promise<void>
  /** Whether it can answer now: false while models are loaded, at the start and after a crash. */
  isReady(): boolean
  /** How many choices wait for a slot, by model. */
  queued(): ReadonlyMap<string, number>
  /** How often the child was started again. */
  restarts(): number
  /** The process id of the child, where there is one. */
  childPid(): number | undefined
}

/** Whether node-llama-cpp is installed. It is optional, and is loaded in the child only. */
export function isLlamaInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('node-llama-cpp')
    return true
  } catch {
    return false
  }
}

/** Starts the child process and the loading of the models. `close` ends it. */
export function createLlamaEngine(options: LlamaEngineOptions): LlamaEngine {
  const { created, slots, maxWaiting = 64, maxWaitMs = 30_000 } = options
  const randomSeed = options.randomSeed ?? (() => randomInt(SEEDS))
  const known = new Map<string, ModelFacts>()
  const llama = startLlamaProcess({
    ...options,
    onLoaded(facts) {
      known.set(facts.id, facts)
      options.onLoaded?.(facts)
    },
    threadsMayShrink: options.threadsMayShrink ?? false,
    contextMayShrink: options.contextMayShrink ?? false,
    gpu: options.gpu ?? false,
    onUse: options.onUse ?? false,
    idleMs: options.idleMs ?? null,
    restartDelayMs: options.restartDelayMs ?? 250,
    maxRestartDelayMs: options.maxRestartDelayMs ?? 30_000,
    cancelTimeoutMs: options.cancelTimeoutMs ?? 120_000,
    stallTimeoutMs: options.stallTimeoutMs ?? 120_000,
    closeTimeoutMs: options.closeTimeoutMs ?? 2000,
    onDownload: options.onDownload ?? (() => {}),
  })
  const queues = new Map(options.models.map(({ id }) => [id, createSlotQueue({ slots, maxWaiting })]))

  return {
    models: options.models.map(({ id }) => ({ id, created, ownedBy: 'touchstone' })),
    loaded: llama.loaded,
    isReady: llama.isReady,
    queued: () => new Map([...queues].map(([id, queue]) => [id, queue.waiting()])),
    restarts: llama.restarts,
    childPid: llama.pid,
    close: llama.close,
    generate(request, context) {
      refuseUnsupported(request, textSupport)
      const queue = queues.get(request.model)
      if (queue === undefined) throw new TypeError(`this engine has no model '${request.model}'`)
      const { signal } = context
      const form = formOrder(request)
      const told = form === null ? '' : formPrompt(form)
      const messages = toPrompt(request.messages)
      if (told !== '') messages.unshift({ role: 'system', text: told })
      const facts = known.get(request.model)
      if (facts !== undefined) refuseTooLong(messages, facts)
      return answer(request, messages, { llama, queue, form, maxWaitMs, signal, randomSeed })
    },
  }
}

/** What can never fit does not wait for its turn to be told so. */
function refuseTooLong(
  messages: Parameters<typeof leastTokens>[0],
  { contextTokens, longestTokenBytes }: ModelFacts,
): void {
  const promptTokens = leastTokens(messages, longestTokenBytes)
  if (promptTokens >= contextTokens) throw tooLong({ promptTokens, exact: false, contextTokens })
}
