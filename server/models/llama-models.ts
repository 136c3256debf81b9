// Which GGUF models are served: the bundled tiny one, and those that the operator named.
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config/config.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Sandbox } from '../engines/constrained/sandbox/sandbox.ts'
import { gpuBuilds, missingBuildsLine } from '../engines/llama/build/gpu-builds.ts'
import { createLlamaEngine, isLlamaInstalled } from '../engines/llama/llama.ts'
import type { DownloadProgress } from '../engines/llama/process/llama-process.ts'
import type { ModelFacts } from '../engines/llama/process/process-messages.ts'
import { unavailable } from '../http/api-error.ts'
import type { Logger } from '../http/observability.ts'

/** The bundled model, made by fixtures/tiny-model: every probability of it is known in closed form. */
const TINY_MODEL = {
  id: 'svc-0.1-tiny',
  source: fileURLToPath(new URL('../../fixtures/tiny-model/svc-0.1-tiny.gguf', import.meta.url)),
}

/**
 * Starts the engine for GGUF models. Undefined if there are none, and with one warning through `warn` if
 * node-llama-cpp, which is optional, is not installed. Throws `UsageError` if a model was then requested by name.
 */
export function startLlama(
  config: Config,
  sandbox: Sandbox,
  created: number,
  logger: Logger,
  warn: (line: string) => void,
) {
  const { folder, servesTiny, threads, slots, contextTokens, contextMb, idleSeconds, ...llama } = config.llama
  const asked = [...llama.models, ...(folder === undefined ? [] : modelsIn(folder))]
  const models = [...(servesTiny ? [TINY_MODEL] : []), ...asked]
  if (models.length === 0) return undefined
  if (!isLlamaInstalled()) {
    const [first] = asked
    if (first !== undefined) {
      throw new UsageError(
        `LLAMA_MODELS, LLAMA_FOLDER: '${first.id}' needs node-llama-cpp, which is not installed: run npm ci without --omit=optional`,
      )
    }
    warn(`node-llama-cpp is not installed: ${TINY_MODEL.id} is not served`)
    return undefined
  }
  const missing = llama.gpu ? missingBuildsLine(gpuBuilds()) : undefined
  if (missing !== undefined) warn(missing)
  const engine = createLlamaEngine({
    models,
    created,
    modelsDirectory: join(config.dataDir, 'models'),
    threads,
    threadsMayShrink: !llama.threadsGiven,
    slots,
    contextTokens: contextTokens ?? null,
    contextBytes: contextMb * 1024 ** 2,
    maxWaiting: llama.queue,
    gpu: llama.gpu ? 'auto' : false,
    sandbox,
    logger,
    onDownload: createDownloadLine(warn),
    onUse: llama.loadOnUse,
    idleMs: idleSeconds === 0 ? null : idleSeconds * 1000,
    onLoaded: (facts) => logger.info(modelLine(facts, config)),
  })
  return {
    engine,
    /** Resolves when the models can answer; throws a 503 while they are loaded. */
    async ready() {
      if (!engine.isReady()) throw unavailable('The models are being loaded.', 1)
    },
  }
}

/** A model in several files is listed by its first file only. */
const LATER_PART = /-(?!0*1-of-)\d+-of-\d+\.gguf$/
const FIRST_PART = /-0*1-of-\d+$/

/**
 * The GGUF files of a folder in the order of their names; the id of each is its name without `.gguf`, with `-` for
 * white space. Throws `UsageError` if the folder cannot be read.
 */
export function modelsIn(folder: string): { id: string; source: string }[] {
  let files: string[]
  try {
    files = readdirSync(folder)
  } catch {
    throw new UsageError(`LLAMA_FOLDER: the folder '${folder}' cannot be read`)
  }
  return files
    .filter((file) => file.endsWith('.gguf') && !LATER_PART.test(file))
    .toSorted()
    .map((file) => ({
      id: basename(file, '.gguf').replace(FIRST_PART, '').replaceAll(/\s+/g, '-'),
      source: join(folder, file),
    }))
}

/** One line about how a model runs, with the reason. */
export function modelLine(
  facts: ModelFacts,
  { llama: { gpu, threadsGiven } }: Pick<Config, 'llama'>,
): string {
  const { id, backend, compiledHere, threads, small, slots, contextTokens, trainedContextTokens } = facts
  const device = backend !== 'CPU' ? 'LLAMA_GPU is auto' : gpu ? 'no GPU can be used' : 'LLAMA_GPU is off'
  const build = compiledHere ? 'compiled for this processor' : 'prebuilt for any processor'
  const threading = small
    ? 'a small model is faster on one'
    : threadsGiven
      ? 'LLAMA_THREADS'
      : 'as many as cores'
  const size = facts.contextShrunk ? 'as LLAMA_CONTEXT_MB and free memory allow' : 'LLAMA_CONTEXT'
  const context =
    contextTokens < trainedContextTokens ? `${size}, of ${trainedContextTokens}` : 'all that it has'
  return [
    `${id}: ${backend} (${device}, ${build})`,
    `${threads} ${threads === 1 ? 'thread' : 'threads'} (${threading})`,
    `context of ${contextTokens} tokens (${context})`,
    `${slots} slots (LLAMA_SLOTS)`,
  ].join(', ')
}

/** Reports the progress of a download, one line for each tenth, for a terminal or a log file. */
function createDownloadLine(print: (line: string) => void): (progress: DownloadProgress) => void {
  const reported = new Map<string, number>()
  return function onDownload({ model, downloadedBytes, totalBytes }) {
    const tenth = totalBytes > 0 ? Math.floor((downloadedBytes / totalBytes) * 10) : 0
    if (reported.get(model) === tenth) return
    reported.set(model, tenth)
    print(`${model}: ${tenth * 10} % of ${Math.round(totalBytes / 1_000_000)} MB`)
  }
}
