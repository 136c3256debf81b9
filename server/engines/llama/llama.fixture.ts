// Tests of the llama engine use this: the bundled model behind a real engine.
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { createLlamaEngine, type LlamaEngine, type LlamaEngineOptions } from './llama.ts'

export const TINY = 'svc-0.1-tiny'
export const TINY_PATH = fileURLToPath(
  new URL('../../../fixtures/tiny-model/svc-0.1-tiny.gguf', import.meta.url),
)

/** An engine for the bundled model with small bounds. */
export function createTinyEngine(options: Partial<LlamaEngineOptions> = {}) {
  return createLlamaEngine({
    models: [{ id: TINY, source: TINY_PATH }],
    created: 1_700_000_000,
    modelsDirectory: '/nonexistent',
    threads: 1,
    slots: 4,
    contextTokens: 256,
    logger: pino({ level: 'silent' }),
    restartDelayMs: 50,
    ...options,
  })
}

/** Starts an engine before the tests of the file or group, and closes it after them. */
export function useTinyEngine(options: Partial<LlamaEngineOptions> = {}): () => LlamaEngine {
  let engine: LlamaEngine
  beforeAll(async () => {
    engine = createTinyEngine(options)
    await engine.loaded
  }, 60_000)
  afterAll(() => engine.close())
  return () => engine
}

/** A request with one user message. */
export function ask(fields: Partial<ChatCompletionRequest> = {}): ChatCompletionRequest {
  return { model: TINY, messages: [{ role: 'user', content: 'Hi' }], ...fields }
}
