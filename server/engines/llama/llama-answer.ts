// One request to a llama model: its choices are runs of the child process, concurrent as far as slots allow, and joined
// to one sequence of deltas.
import { randomUUID } from 'node:crypto'
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { ApiError, invalidRequest, unavailable } from '../../http/api-error.ts'
import { createChannel } from './channel.ts'
import type { Delta, Deltas } from '../engine.ts'
import { costlySchema, unknownToken, stopsOf, tokenLimit, tooLong } from '../request-options.ts'
import type { GrammarSpec } from './answer/answer-grammar.ts'
import { LlamaLoadError, type LlamaProcess } from './process/llama-process.ts'
import type { PromptMessage } from './answer/prompt-messages.ts'
import type { RunEnd, Sampling } from './process/process-messages.ts'
import type { SlotQueue } from './slot-queue.ts'

/** A lower temperature counts as 0, because the logits divided by it would exceed the range of a float. */
const LEAST_TEMPERATURE = 1e-4

/** llama.cpp draws a seed of its own for 2³² − 1, so seeds are taken modulo that. */
export const SEEDS = 2 ** 32 - 1

/** `Retry-After` after an unsuccessful wait, in seconds. */
const RETRY_AFTER_SECONDS = 5

export interface AnswerContext {
  readonly llama: LlamaProcess
  /** The slots of the model. */
  readonly queue: SlotQueue
  /** The grammar of the answer; null for any text. */
  readonly grammar: GrammarSpec | null
  /** How long to wait for the first load and the first slot together, in milliseconds. */
  readonly maxWaitMs: number
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Called with the tokens of the prompt and of all choices so far. */
  countTokens?(prompt: number, answer: number): void
  /** Draws a seed below `SEEDS`. */
  randomSeed(): number
}

type CountedEnd = Extract<RunEnd, { readonly type: 'end' }>

/** The deltas of all choices, interleaved as they arrive. The size of the context bounds the number of waiting deltas. */
export function answer(
  request: ChatCompletionRequest,
  messages: readonly PromptMessage[],
  context: AnswerContext,
): AsyncIterable<Deltas> {
  const channel = createChannel<Delta>()
  // One signal ends the answer, whatever the cause: the caller, a failed choice, or a reader that stops.
  const stop = new AbortController()
  const { signal } = stop
  const follow = (): void => stop.abort(context.signal.reason)
  if (context.signal.aborted) follow()
  context.signal.addEventListener('abort', follow)
  // The client does not wait until the child has stopped the run; only the slot does.
  signal.addEventListener('abort', () => channel.fail(signal.reason))
  generateChoices(request, messages, { ...context, signal }, channel.push, (error) => stop.abort(error))
    .finally(() => context.signal.removeEventListener('abort', follow))
    .then(channel.end, channel.fail)
  // Not a generator, which would make promises for every token.
  const iterator = {
    next: channel.next,
    async return() {
      stop.abort()
      return { done: true as const, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

async function generateChoices(
  request: ChatCompletionRequest,
  messages: readonly PromptMessage[],
  context: AnswerContext,
  push: (delta: Delta) => void,
  fail: (error: unknown) => void,
): Promise<void> {
  const { signal } = context
  const limit = tokenLimit(request)
  const ends: CountedEnd[] = []
  const choices: Promise<void>[] = []
  let prompt = 0
  let generated = 0

  function count(tokens: number): void {
    generated += tokens
    context.countTokens?.(prompt, generated)
  }

  async function choose(index: number, release: () => void): Promise<void> {
    let called = false
    try {
      const end = await context.llama.run(
        {
          model: request.model,
          messages,
          sampling: samplingOf(request, index, context.randomSeed),
          maxTokens: limit === Infinity ? null : limit,
          stops: stopsOf(request),
          grammar: context.grammar === null ? null : JSON.stringify(context.grammar),
          topLogprobs: request.logprobs === true ? (request.top_logprobs ?? 0) : null,
        },
        {
          signal,
          onPrompt(tokens) {
            prompt = Math.max(prompt, tokens)
            count(0)
          },
          onText({ text, logprobs }) {
            count(logprobs?.length ?? 1)
            push({ type: 'text', index, text, ...(logprobs === undefined ? {} : { logprobs }) })
          },
          onCall({ call, name, arguments: part }) {
            called = true
            count(1)
            const first = name === undefined ? {} : { id: `call_${randomUUID().replaceAll('-', '')}`, name }
            push({ type: 'tool-call', index, call, ...first, arguments: part })
          },
        },
      )
      const done = counted(end, request)
      if (done.reason === 'cancelled') return
      push({ type: 'finish', index, reason: called && done.reason === 'stop' ? 'tool_calls' : done.reason })
      ends.push(done)
    } catch (error) {
      fail(error)
    } finally {
      release()
    }
  }

  for (let index = 0; index < (request.n ?? 1); index += 1) {
    const release = index === 0 ? await firstSlot(context) : await context.queue.acquire(signal, true)
    choices.push(choose(index, release))
  }
  await Promise.all(choices)
  signal.throwIfAborted()
  push({ type: 'usage', usage: usageOf(ends) })
}

/** Waits for a slot and for the models' first load, no longer than the bound. */
async function firstSlot({ llama, queue, maxWaitMs, signal }: AnswerContext): Promise<() => void> {
  // Not `AbortSignal.timeout`, which keeps everything that it references in memory until its time has passed.
  const waiting = new AbortController()
  const giveUp = (): void => waiting.abort(signal.reason)
  const timer = setTimeout(() => {
    waiting.abort(unavailable('The model is busy or still being loaded.', RETRY_AFTER_SECONDS))
  }, maxWaitMs)
  signal.addEventListener('abort', giveUp)
  try {
    signal.throwIfAborted()
    const release = await queue.acquire(waiting.signal)
    try {
      await Promise.race([llama.loaded, aborted(waiting.signal)])
      return release
    } catch (error) {
      release()
      throw error
    }
  } catch (error) {
    throw error instanceof LlamaLoadError ? notLoaded(error) : error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
  }
}

function notLoaded(error: LlamaLoadError): ApiError {
  return unavailable('The model could not be loaded.', RETRY_AFTER_SECONDS, error)
}

async function aborted(signal: AbortSignal): Promise<never> {
  return await new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

function counted(end: RunEnd, request: ChatCompletionRequest): CountedEnd {
  switch (end.type) {
    case 'end':
      return end
    case 'too-long':
      throw tooLong(end)
    case 'unknown-token':
      throw unknownToken(end.token, end.count)
    case 'refused':
      throw invalidRequest(
        `The model's chat template does not take these messages: ${end.reason}`,
        'messages',
        'unsupported_value',
      )
    case 'too-costly':
      throw costlySchema(
        request.tools == null ? 'response_format.json_schema.schema' : 'tools',
        'an answer takes too much work to match it',
      )
    case 'not-loaded':
      throw notLoaded(new LlamaLoadError(end.message))
    case 'failed':
      throw new ApiError(500, 'engine_failed', 'The model failed to answer.', {
        cause: new Error(end.message),
      })
  }
}

/** Choice `index` of a seeded request has the seed `seed + index`; without a seed each choice draws one. */
export function samplingOf(
  request: ChatCompletionRequest,
  index: number,
  randomSeed: () => number,
): Sampling {
  const temperature = request.temperature ?? 1
  const { seed } = request
  return {
    temperature: temperature < LEAST_TEMPERATURE ? 0 : temperature,
    topP: request.top_p ?? 1,
    seed: seed === null || seed === undefined ? randomSeed() : modulo(modulo(seed, SEEDS) + index, SEEDS),
    bias: Object.entries(request.logit_bias ?? {}).map(([token, bias]) => [Number(token), bias] as const),
    frequencyPenalty: request.frequency_penalty ?? 0,
    presencePenalty: request.presence_penalty ?? 0,
  }
}

function modulo(value: number, modulus: number): number {
  return ((value % modulus) + modulus) % modulus
}

/** The prompt counts once for all choices; its cached tokens are those of the first choice to end. */
function usageOf(ends: readonly CountedEnd[]) {
  const { promptTokens, cachedTokens } = ends[0] ?? { promptTokens: 0, cachedTokens: 0 }
  const completionTokens = ends.reduce((sum, end) => sum + end.completionTokens, 0)
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  }
}
