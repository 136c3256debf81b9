// Tests of the llama engine use this: the bundled model behind a real engine, and an answer in one piece.
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { completionOf } from '../../chat/plain-completion.fixture.ts'
import type { Deltas, DeltaSource, Engine } from '../engine.ts'
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

export type LlamaAnswer = Awaited<ReturnType<typeof answerTo>>

/** The whole answer: the parts of its choices, in order. Throws if the deltas break the promises of `Delta`. */
export async function answerTo(
  engine: Engine,
  request: ChatCompletionRequest,
  signal: AbortSignal = new AbortController().signal,
) {
  const context = { signal, requestId: 'req_test', maxAnswerBytes: Infinity }
  const head = { id: 'chatcmpl-1', created: 0, model: request.model }
  const deltas = inOrder(engine.generate(request, context))
  const { choices, usage } = await completionOf(deltas, head, request.n ?? 1)
  if (usage === undefined) throw new Error('the answer has no usage')
  return {
    texts: choices.map(({ message }) => message.content ?? ''),
    reasons: choices.map(({ finish_reason: reason }) => reason),
    usage,
    logprobs: choices.map(({ logprobs }) => logprobs?.content ?? []),
    calls: choices.map(({ message }) =>
      (message.tool_calls ?? []).flatMap((call) =>
        call.type === 'function' ? [{ id: call.id, ...call.function }] : [],
      ),
    ),
  }
}

/** Passes the deltas on. Throws unless nothing of a choice follows its end, and nothing follows the usage. */
async function* inOrder(answer: DeltaSource): AsyncGenerator<Deltas> {
  const finished = new Set<number>()
  let isOver = false
  for await (const deltas of answer) {
    for (const delta of deltas) {
      if (isOver) throw new Error('a delta after the usage')
      isOver = delta.type === 'usage'
      if (!('index' in delta)) continue
      if (finished.has(delta.index)) throw new Error('a delta after the finish of its choice')
      if (delta.type === 'finish') finished.add(delta.index)
    }
    yield deltas
  }
}
