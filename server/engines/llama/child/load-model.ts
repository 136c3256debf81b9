// Loads a configured model: finds or downloads its file, makes its context, and reads its vocabulary and templates.
import type * as LlamaCpp from 'node-llama-cpp'
import type { Llama, LlamaModel } from 'node-llama-cpp'
import { type Batches, createBatches } from './batch-scheduler.ts'
import type { LoadedModel } from './generate-choice.ts'
import { checkHeader, download, isAddress } from './model-file.ts'
import { createNativeSampler, nativeContext } from './native-llama.ts'
import {
  firstLine,
  type FromChild,
  type LlamaModelSource,
  type LoadOrder,
} from '../process/process-messages.ts'
import { chatTemplates } from '../answer/chat-template.ts'
import { LARGE_CHUNKS, type PromptChunking, probeChunking, reusable } from './prompt-chunks.ts'
import { createSamplerPool } from './sampler-pool.ts'
import { createSequencePool } from './sequence-pool.ts'
import { createVocabulary } from './vocabulary.ts'

/**
 * A model below this size is small: faster on one thread, since handing its small matrices to others takes longer than
 * the work. With OpenMP, as the library that is compiled here has it, that takes less.
 */
const SMALL_BELOW_BYTES = { prebuilt: 64 * 1024 * 1024, compiledHere: 4 * 1024 * 1024 }

/** A model below this size evaluates a few chunks of a prompt, to probe them, in less than a second. */
const PROBED_BELOW_BYTES = 1024 ** 3
/** A model below this size also evaluates blocks of a prompt, to probe them, in less than a second. */
const BLOCKS_PROBED_BELOW_BYTES = 256 * 1024 ** 2

export interface LoadingOptions {
  readonly llamaCpp: typeof LlamaCpp
  readonly llama: Llama
  readonly order: LoadOrder
  send(message: FromChild): void
  /** Called before each batch of a model, and when none follows. */
  onBatch(): void
}

/** Loads `configured`. Throws one line that names the model. */
export async function loadModel(configured: LlamaModelSource, options: LoadingOptions): Promise<LoadedModel> {
  return about(configured, load(configured, options))
}

async function load(
  configured: LlamaModelSource,
  { llamaCpp, llama, order, send, onBatch }: LoadingOptions,
): Promise<LoadedModel> {
  const model = await llama.loadModel({
    modelPath: await locate(configured, order, llamaCpp.resolveModelFile, send),
  })
  const template = model.fileInfo.metadata.tokenizer?.chat_template
  if (template === undefined) throw new Error('it has no chat template')
  const compiledHere = llama.buildType === 'localBuild'
  const small = model.size < SMALL_BELOW_BYTES[compiledHere ? 'compiledHere' : 'prebuilt']
  const single = small && order.threadsMayShrink
  const threads = single ? 1 : order.threads
  const wanted = Math.min(order.contextTokens ?? Infinity, model.trainContextSize)
  const contextSize =
    order.contextTokens === null
      ? await fittingContext(
          wanted,
          async (tokens) => contextBytes(model, tokens, order.slots),
          Math.min(order.contextBytes ?? Infinity, process.availableMemory() / 2),
        )
      : wanted
  const context = await model.createContext({
    sequences: order.slots,
    contextSize,
    threads,
  })
  const contextTokens = Math.min(contextSize, context.contextSize)
  const { isHybrid, isRecurrent, swaSize } = model.fileInsights
  const greedy = createNativeSampler(llama, model)
  greedy.applyConfig({ temperature: 0 })
  const samplers = createSamplerPool(() => createNativeSampler(llama, model))
  const batches = createBatches({ context: nativeContext(context), size: context.batchSize, greedy, onBatch })
  const forgetsParts = !isHybrid && !isRecurrent && swaSize === undefined
  const tried = llama.gpu === false && forgetsParts && model.size < PROBED_BELOW_BYTES
  const room = Math.min(context.batchSize, contextTokens)
  const chunking = tried ? await probedChunking(batches, model, room) : LARGE_CHUNKS
  // If the file does not list its tokens, their bytes are unknown.
  const { model: kind = '', tokens } = model.fileInfo.metadata.tokenizer?.ggml ?? {}
  return {
    facts: {
      id: configured.id,
      backend: llama.gpu === false ? 'CPU' : llama.gpu,
      compiledHere,
      threads,
      small: single,
      slots: order.slots,
      contextTokens,
      contextShrunk: contextSize < wanted,
      trainedContextTokens: model.trainContextSize,
      longestTokenBytes: longestToken(model),
    },
    model,
    templates: chatTemplates(llamaCpp.JinjaTemplateChatWrapper, template),
    chunking,
    slots: createSequencePool(order.slots, (common, lengths) => reusable(common, lengths, chunking)),
    batches,
    vocabulary: createVocabulary(model, { kind, tokens: Array.isArray(tokens) ? tokens : [] }),
    samplers,
    forgetsParts,
    async unload() {
      greedy.dispose()
      samplers.dispose()
      await context.dispose()
      await model.dispose()
    },
  }
}

async function probedChunking(batches: Batches, model: LlamaModel, room: number): Promise<PromptChunking> {
  const sequence = batches.join(0)
  try {
    return await probeChunking(sequence, {
      vocabularySize: [...model.iterateAllTokens()].length,
      room,
      triesBlocks: model.size < BLOCKS_PROBED_BELOW_BYTES,
    })
  } finally {
    sequence.leave()
  }
}

/** The minimum context, in tokens: a smaller one is useless. */
export const LEAST_CONTEXT = 256

/**
 * The number of tokens of a context: `wanted` if its memory is at most `maxBytes`, otherwise the largest multiple of
 * `LEAST_CONTEXT` that fits, and at least `LEAST_CONTEXT`. `bytesOf` returns the memory of a context, which grows with its tokens.
 */
export async function fittingContext(
  wanted: number,
  bytesOf: (tokens: number) => Promise<number>,
  maxBytes: number,
): Promise<number> {
  if (wanted <= LEAST_CONTEXT || (await bytesOf(wanted)) <= maxBytes) return wanted
  let [fits, exceeds] = [1, Math.ceil(wanted / LEAST_CONTEXT)]
  while (exceeds - fits > 1) {
    const middle = Math.floor((fits + exceeds) / 2)
    if ((await bytesOf(middle * LEAST_CONTEXT)) <= maxBytes) fits = middle
    else exceeds = middle
  }
  return fits * LEAST_CONTEXT
}

/** Memory of a context with `contextSize` tokens for each slot, in bytes, as estimated by the library. */
async function contextBytes(model: LlamaModel, contextSize: number, sequences: number): Promise<number> {
  const { cpuRam, gpuVram } = await model.fileInsights.estimateContextResourceRequirementsV2({
    contextSize,
    sequences,
    modelGpuLayers: model.gpuLayers,
  })
  return cpuRam + gpuVram
}

async function locate(
  { id, source }: LlamaModelSource,
  { modelsDirectory }: LoadOrder,
  resolve: (typeof LlamaCpp)['resolveModelFile'],
  send: (message: FromChild) => void,
): Promise<string> {
  if (!isAddress(source)) return source
  const path = await download(source, {
    resolve,
    directory: modelsDirectory,
    onProgress(downloadedBytes, totalBytes) {
      send({ type: 'downloading', model: id, downloadedBytes, totalBytes })
    },
  })
  await checkHeader(path)
  return path
}

/** The result of `work`; a failure says which model it is about. */
export async function about<T>({ id }: LlamaModelSource, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new Error(`the model '${id}' cannot be loaded: ${firstLine(error)}`, { cause: error })
  }
}

function longestToken(model: LlamaModel): number {
  const lengths = model.iterateAllTokens().map((token) => Buffer.byteLength(model.detokenize([token], true)))
  return lengths.reduce((longest, length) => Math.max(longest, length), 1)
}
