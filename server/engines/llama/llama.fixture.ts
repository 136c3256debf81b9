// Tests of the llama engine use this: the bundled model behind a real engine, and an answer in one piece.
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import type { FinishReason, TokenLogprob, Usage } from '../../../spec/schemas/response.ts'
import type { Delta, Engine } from '../engine.ts'
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

export interface Answer {
  readonly texts: string[]
  readonly reasons: FinishReason[]
  readonly usage: Usage
  /** The entries of each choice; empty if there are none. */
  readonly logprobs: TokenLogprob[][]
  /** The calls of each choice. */
  readonly calls: AnsweredCall[][]
}

export interface AnsweredCall {
  readonly id: string
  readonly name: string
  arguments: string
}

/** The whole answer, its choices in order. Throws where the deltas break the promises of the port. */
export async function answerTo(
  engine: Engine,
  request: ChatCompletionRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Answer> {
  const texts = Array.from({ length: request.n ?? 1 }, () => '')
  const logprobs = texts.map((): TokenLogprob[] => [])
  const calls = texts.map((): AnsweredCall[] => [])
  const reasons = new Map<number, FinishReason>()
  let usage: Usage | undefined
  function take(delta: Delta): void {
    if (usage !== undefined) throw new Error('a delta after the usage')
    if (delta.type === 'usage') usage = delta.usage
    else if (!('index' in delta)) throw new Error(`a delta of an upstream: ${delta.type}`)
    else if (reasons.has(delta.index)) throw new Error('a delta after the finish of its choice')
    else if (delta.type === 'finish') reasons.set(delta.index, delta.reason)
    else if (delta.type === 'text') {
      texts[delta.index] += delta.text
      logprobs[delta.index]?.push(...(delta.logprobs ?? []))
    } else if (delta.type === 'tool-call') {
      const { id, name, arguments: part } = delta
      if (id !== undefined && name !== undefined) calls[delta.index]?.push({ id, name, arguments: '' })
      const call = calls[delta.index]?.[delta.call]
      if (call === undefined) throw new Error('a part of a call that did not begin')
      call.arguments += part
    }
  }

  for await (const deltas of engine.generate(request, {
    signal,
    requestId: 'req_test',
    maxAnswerBytes: Infinity,
  }))
    deltas.forEach(take)
  if (usage === undefined || reasons.size !== texts.length) throw new Error('the answer is not complete')
  return {
    texts,
    reasons: texts.map((_, index) => reasons.get(index) ?? 'content_filter'),
    usage,
    logprobs,
    calls,
  }
}
