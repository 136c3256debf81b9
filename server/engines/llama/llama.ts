// The engine for GGUF models, through node-llama-cpp in a child process: a crash of native code costs the answers
// in flight, never the server. Exactly what is requested is sampled, and a prompt is never cut.
import { randomInt } from 'node:crypto'
import { createRequire } from 'node:module'
import { createSandbox, type Sandbox, schemaRefusal } from '../constrained/sandbox/sandbox.ts'
import type { Deltas, Engine, GenerateContext } from '../engine.ts'
import { answer, SEEDS } from './llama-answer.ts'
import { grammarPrompt, type GrammarSpec, grammarSpec, wantedGrammars } from './answer/answer-grammar.ts'
import { type LlamaProcessOptions, startLlamaProcess } from './process/llama-process.ts'
import { leastTokens, toPrompt } from './answer/prompt-messages.ts'
import type { ModelFacts } from './process/process-messages.ts'
import { createSlotQueue } from './slot-queue.ts'
import { tooLong } from '../request-options.ts'
import { refuseUnsupported } from '../supported-fields.ts'

export interface LlamaEngineOptions extends LlamaProcessOptions {
  /** The creation time of the models in the model list, in Unix seconds. */
  readonly created: number
  /** The sandbox that tries schemas; closed with the engine. Default: one of its own. */
  readonly sandbox?: Sandbox
  /** Requests that may wait for a slot of one model; more get 503. Default: 64. */
  readonly maxWaiting?: number
  /** How long a request may wait for the first load or a slot before it gets 503, in milliseconds. Default: 30 000. */
  readonly maxWaitMs?: number
  /** Draws the seed of a choice if none was given, from 0 to 2³² − 2. Default: cryptographic. */
  randomSeed?(): number
}

export interface LlamaEngine extends Engine {
  /** Settles when all models are loaded for the first time; throws `LlamaLoadError`, whose message is one line. */
  readonly loaded: Promise<void>
  /** Whether it can answer now: false while models are loading, at the start and after a crash. */
  isReady(): boolean
  /** The number of choices that wait for a slot, by model. */
  queued(): ReadonlyMap<string, number>
  /** The number of restarts of the child. */
  restarts(): number
  /** The process id of the child, if there is one. */
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
  const { created, slots, maxWaiting = 64, maxWaitMs = 30_000, sandbox = createSandbox() } = options
  const randomSeed = options.randomSeed ?? (() => randomInt(SEEDS))
  const known = new Map<string, ModelFacts>()
  const llama = startLlamaProcess({
    ...options,
    onLoaded(facts) {
      known.set(facts.id, facts)
      options.onLoaded?.(facts)
    },
  })
  const queues = new Map(options.models.map(({ id }) => [id, createSlotQueue({ slots, maxWaiting })]))

  return {
    models: options.models.map(({ id }) => ({
      id,
      created,
      ownedBy: 'touchstone',
      contextTokens: () => known.get(id)?.contextTokens,
    })),
    loaded: llama.loaded,
    isReady: llama.isReady,
    queued: () => new Map([...queues].map(([id, queue]) => [id, queue.waiting()])),
    restarts: llama.restarts,
    childPid: llama.pid,
    async close() {
      await Promise.all([llama.close(), sandbox.close()])
    },
    generate(request, context) {
      refuseUnsupported(request, context)
      const queue = queues.get(request.model)
      if (queue === undefined) throw new TypeError(`this engine has no model '${request.model}'`)
      const { signal } = context
      const grammar = grammarSpec(request)
      const instructions = grammar === null ? '' : grammarPrompt(grammar)
      const messages = toPrompt(request.messages)
      if (instructions !== '') messages.unshift({ role: 'system', text: instructions })
      const facts = known.get(request.model)
      // The length is checked before the schemas, because a prompt with many tools may be too long.
      if (facts !== undefined) {
        const { contextTokens } = facts
        const promptTokens = leastTokens(messages, facts.longestTokenBytes)
        if (promptTokens >= contextTokens) throw tooLong({ promptTokens, exact: false, contextTokens })
      }
      const answered = () =>
        answer(request, messages, {
          llama,
          queue,
          grammar,
          maxWaitMs,
          signal,
          randomSeed,
          countTokens: (prompt, answered) => context.countTokens?.(prompt, answered),
        })
      return grammar === null ? answered() : afterCheck(grammar, context, answered)
    },
  }

  async function* afterCheck(
    grammar: GrammarSpec,
    context: GenerateContext,
    answered: () => AsyncIterable<Deltas>,
  ): AsyncGenerator<Deltas> {
    await refuseSchemas(grammar, sandbox, context)
    yield* answered()
  }
}

/** Tries in the sandbox whether the grammar can be built. Throws the 400 that names the schema which cannot. */
async function refuseSchemas(
  grammar: GrammarSpec,
  sandbox: Sandbox,
  { signal, keyId = '' }: GenerateContext,
): Promise<void> {
  const all = wantedGrammars(grammar)
  if (all.length === 0) return
  const params = all.map(({ param }) => param)
  const job = { type: 'grammars' as const, wanted: all.map(({ wanted }) => wanted) }
  const result = await sandbox.run(job, params, { signal, keyId })
  if ('problem' in result) throw schemaRefusal(params, result.problem)
}
