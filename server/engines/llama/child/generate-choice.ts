// Generates one choice on a free sequence of a loaded model: the prompt is written by the model's own template, sampling
// is exact, and the text has whole characters up to the first stop string.
import { parseExact } from '../../../../spec/protocol/exact-json.ts'
import { LRUCache } from 'lru-cache'
import type { ChatHistoryItem, JinjaTemplateChatWrapper, LlamaModel, Token } from 'node-llama-cpp'
import type { TokenLogprob } from '../../../../spec/schemas/response.ts'
import type { Batches } from './batch-scheduler.ts'
import { beginAnswer, type GrammarSpec } from '../answer/answer-grammar.ts'
import { leastTokens, type PromptMessage } from '../answer/prompt-messages.ts'
import {
  firstLine,
  type ModelFacts,
  type RunCall,
  type RunEnd,
  type RunOrder,
  type RunText,
} from '../process/process-messages.ts'
import { drawTokens } from './draw-tokens.ts'
import { createLogprobText, type LogprobPiece } from '../../text/logprob-text.ts'
import type { SamplerPool } from './sampler-pool.ts'
import type { SequencePool } from './sequence-pool.ts'
import { nextChunk, type PromptChunking } from './prompt-chunks.ts'
import { createStopFilter } from '../../text/stop-filter.ts'
import type { Vocabulary } from './vocabulary.ts'
import type { GrammarState } from '../../constrained/grammar/byte-grammar.ts'
import { type AnswerChunk, createCallReader } from '../../constrained/tool-calls.ts'
import { createTokenText } from '../../text/token-text.ts'

export interface LoadedModel {
  readonly facts: ModelFacts
  readonly model: LlamaModel
  /** The chat template unchanged, then with adjacent messages of one role joined, which some templates require. */
  readonly templates: readonly JinjaTemplateChatWrapper[]
  readonly vocabulary: Vocabulary
  readonly chunking: PromptChunking
  readonly slots: SequencePool<Token>
  readonly batches: Batches
  readonly samplers: SamplerPool
  /** Whether the last tokens of a sequence can be removed. */
  readonly forgetsParts: boolean
  /** Frees the memory. No run may be in flight. */
  unload(): Promise<void>
}

export interface ChoiceControl {
  isCancelled(): boolean
  /** A batch was evaluated. */
  onStep(): void
  /** The next batch ends with this token of the prompt. */
  onPrompt(tokens: number): void
  /** The text may be empty. */
  onText(text: RunText): void
  onCall(chunk: RunCall): void
}

/**
 * Runs `order` on a free sequence; there must be one. A cancelled run ends after the batch in flight. Throws the errors of
 * llama.cpp.
 */
export async function generate(
  { run, messages, maxTokens, sampling, stops, topLogprobs, grammar }: RunOrder,
  { facts, model, templates, vocabulary, chunking, slots, batches, samplers, forgetsParts }: LoadedModel,
  { isCancelled, onStep, onPrompt, onText, onCall }: ChoiceControl,
): Promise<RunEnd> {
  // If the file does not list its tokens, their number is unknown.
  const count = vocabulary.size === 0 ? Infinity : vocabulary.size
  const [token] = sampling.bias.find(([id]) => id >= count) ?? []
  if (token !== undefined) return { run, type: 'unknown-token', token, count }

  // A cheap bound first, so that this process does not tokenise megabytes that cannot fit.
  const { contextTokens } = facts
  const atLeast = leastTokens(messages, facts.longestTokenBytes)
  if (atLeast >= contextTokens)
    return { run, type: 'too-long', promptTokens: atLeast, exact: false, contextTokens }

  const prompt = tokenize(model, templates, messages)
  if (typeof prompt === 'string') return { run, type: 'refused', reason: prompt }
  const promptTokens = prompt.length
  if (promptTokens >= contextTokens)
    return { run, type: 'too-long', promptTokens, exact: true, contextTokens }

  const limit = Math.min(maxTokens ?? Infinity, contextTokens - promptTokens)
  const text = createTokenText<Token>((tokens, before) => model.detokenize(tokens, false, before), prompt)
  const filter = createStopFilter(stops)
  const shown = createShownText(topLogprobs !== null, onText)
  const spec = grammar === null ? null : (parseExact(grammar) as GrammarSpec)
  const reader = spec === null || spec.tools.length === 0 ? undefined : createCallReader()
  let cachedTokens = 0
  let completionTokens = 0

  /** Reports calls, and returns the plain text. */
  function textOf(chunks: readonly AnswerChunk[]): string {
    let plain = ''
    for (const chunk of chunks) {
      if ('call' in chunk) onCall(chunk)
      else plain += chunk.text
    }
    return plain
  }

  function end(reason: 'stop' | 'length' | 'cancelled'): RunEnd {
    return { run, type: 'end', reason, promptTokens, cachedTokens, completionTokens }
  }
  function endOfText(reason: 'stop' | 'length'): RunEnd {
    const last = text.flush()
    const rest = filter.push(
      reader === undefined ? last : textOf([...(last === '' ? [] : reader.push(last)), ...reader.flush()]),
    )
    shown.push(rest.text + filter.flush())
    shown.end()
    return end(rest.stopped ? 'stop' : reason)
  }

  const taken = slots.take(prompt)
  if (taken === undefined) throw new Error('no slot is free')
  const { slot, common } = taken
  const sequence = batches.join(slot.index)
  try {
    let at = forgetsParts ? common : 0
    cachedTokens = at
    slot.cached = prompt.slice(0, at)
    slot.evaluatedFor = promptTokens
    await sequence.keep(at)
    const next = () => nextChunk(promptTokens, at, sequence.isAlone(), chunking)
    let chunk = next()
    /** Called after each evaluation; the last chunk of the prompt is evaluated by the first draw. */
    const cachePrompt = () => void (slot.cached = prompt.slice(0, chunk.cacheable))
    while (chunk.end < promptTokens) {
      if (isCancelled()) return end('cancelled')
      onPrompt(chunk.end)
      await sequence.evaluate(prompt.slice(at, chunk.end), chunk)
      at = chunk.end
      cachePrompt()
      onStep()
      chunk = next()
    }
    if (isCancelled()) return end('cancelled')
    onPrompt(promptTokens)
    const drawn = drawTokens(sequence, prompt.slice(at), {
      model,
      vocabulary,
      samplers,
      sampling,
      topLogprobs,
      grammar: spec === null ? null : startOf(spec, grammar ?? ''),
      limit,
    })
    for await (const { token, logprob } of drawn) {
      completionTokens += 1
      if (completionTokens === 1) cachePrompt()
      onStep()
      if (isCancelled()) return end('cancelled')
      const whole = text.push(token)
      shown.token(whole, logprob)
      const { text: released, stopped } = filter.push(
        reader === undefined ? whole : textOf(reader.push(whole)),
      )
      shown.push(released)
      if (stopped) {
        shown.end()
        return end('stop')
      }
    }
    if (completionTokens === 0) cachePrompt()
    return endOfText(completionTokens === limit ? 'length' : 'stop')
  } finally {
    sequence.leave()
    slots.release(slot)
  }
}

/** The latest grammars, because all choices of a request share one, as do requests with the same tools. */
const grammars = new LRUCache<string, GrammarState>({ max: 4 })

/** The start of an answer that must match `grammar`, whose JSON is `key`. Throws what `beginAnswer` throws. */
function startOf(grammar: GrammarSpec, key: string): GrammarState {
  const state = grammars.get(key) ?? beginAnswer(grammar)
  grammars.set(key, state)
  return state
}

/** Reports text: immediately, or with log-probabilities as soon as it has whole tokens. */
function createShownText(withLogprobs: boolean, onText: ChoiceControl['onText']) {
  if (!withLogprobs) return { token() {}, push: (text: string) => onText({ text }), end() {} }
  const logprobs = createLogprobText<TokenLogprob>()
  let length = 0
  const give = ({ text, entries }: LogprobPiece<TokenLogprob>) => onText({ text, logprobs: entries })
  return {
    token(text: string, logprob: TokenLogprob | undefined) {
      length += text.length
      if (logprob !== undefined) logprobs.token(logprob, length)
    },
    push: (text: string) => give(logprobs.push(text)),
    end: () => give(logprobs.end()),
  }
}

/** The tokens of the prompt, written by the model's own template, or the reason why it refuses these messages. */
function tokenize(
  model: LlamaModel,
  templates: readonly JinjaTemplateChatWrapper[],
  messages: readonly PromptMessage[],
): Token[] | string {
  const chatHistory = [...messages.map(toHistoryItem), { type: 'model' as const, response: [] }]
  let reason = ''
  for (const template of templates) {
    try {
      // Only text of the template can become a marker token: a marker in a message stays plain text.
      const tokens = template.generateContextState({ chatHistory }).contextText.tokenize(model.tokenizer)
      const { bos, shouldPrependBosToken } = model.tokens
      return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens
    } catch (error) {
      reason = firstLine(error)
    }
  }
  return reason
}

function toHistoryItem(message: PromptMessage): ChatHistoryItem {
  if (message.role !== 'assistant') return { type: message.role, text: message.text }
  const calls = message.calls.map((call) => ({
    type: 'functionCall' as const,
    name: call.name,
    params: call.arguments,
    result: call.result,
  }))
  return {
    type: 'model',
    response: message.text === '' && calls.length > 0 ? calls : [message.text, ...calls],
  }
}
