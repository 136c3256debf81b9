// Generates one choice on a free sequence of a loaded model: prompt by the model's own template, exact sampling, text
// of whole characters up to the first stop string.
import type { ChatHistoryItem, JinjaTemplateChatWrapper, LlamaModel, Token } from 'node-llama-cpp'
import type { TokenLogprob } from '../../../../spec/schemas/response.ts'
import { begin } from '../../constrained/grammar/byte-grammar.ts'
import { firstLine } from '../../first-line.ts'
import type { Batches } from './batch-scheduler.ts'
import { buildForm } from '../answer-grammar.ts'
import type { RunCall } from '../process.ts'
import { leastTokens, type PromptMessage } from '../prompt.ts'
import type { RunEvent, RunOrder } from '../protocol.ts'
import { drawTokens } from './tokens.ts'
import { createLogprobText, type Piece } from '../../text/logprob-text.ts'
import type { SamplerPool } from './sampler-pool.ts'
import type { SequencePool } from './sequence-pool.ts'
import { cut, type PromptPieces } from './prompt-chunks.ts'
import { createStopFilter } from '../../text/stop-filter.ts'
import type { Vocabulary } from '../../text/token-bytes.ts'
import { type AnswerPiece, createCallReader } from '../../constrained/tool-calls.ts'
import { createTokenText } from '../../text/token-text.ts'

export interface LoadedModel {
  readonly model: LlamaModel
  /** The chat template, first as it is, then with neighbours of one role joined: some templates demand that. */
  readonly templates: readonly JinjaTemplateChatWrapper[]
  /** Tokens that a prompt and its answer may have together. */
  readonly contextTokens: number
  /** No token has more bytes, so a longer text has more than one. */
  readonly longestTokenBytes: number
  readonly vocabulary: Vocabulary
  readonly pieces: PromptPieces
  readonly places: SequencePool<Token>
  readonly batches: Batches
  readonly samplers: SamplerPool
  /** Whether a part of a sequence can be forgotten, and the rest kept. */
  readonly forgetsParts: boolean
}

/** How a run ended: its last event. */
type RunEnd = Exclude<RunEvent, { readonly type: 'text' | 'call' }>

export interface RunControl {
  isCancelled(): boolean
  /** A batch was evaluated. */
  onStep(): void
  /** With `logprobs`, whole tokens and exactly their entries. */
  onText(text: string, logprobs?: readonly TokenLogprob[]): void
  onCall(piece: RunCall): void
}

/**
 * Runs `order` on a free sequence, of which there must be one. A cancelled run ends after the batch in flight. Throws
 * what llama.cpp throws.
 */
export async function generate(
  { run, messages, maxTokens, sampling, stops, topLogprobs, form }: RunOrder,
  {
    model,
    templates,
    contextTokens,
    longestTokenBytes,
    vocabulary,
    pieces,
    places,
    batches,
    samplers,
    forgetsParts,
  }: LoadedModel,
  { isCancelled, onStep, onText, onCall }: RunControl,
): Promise<RunEnd> {
  // A bound first, so that nobody keeps this process busy with megabytes that can never fit.
  const atLeast = leastTokens(messages, longestTokenBytes)
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
  const reader = form === null || form.tools.length === 0 ? undefined : createCallReader()
  let keptTokens = 0
  let completionTokens = 0

  /** Gives calls on, and gives back what is text. */
  function textOf(pieces: readonly AnswerPiece[]): string {
    let plain = ''
    for (const piece of pieces) {
      if ('call' in piece) onCall(piece)
      else plain += piece.text
    }
    return plain
  }

  function end(reason: 'stop' | 'length' | 'cancelled'): RunEnd {
    return { run, type: 'end', reason, promptTokens, keptTokens, completionTokens }
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

  const taken = places.take(prompt)
  if (taken === undefined) throw new Error('no slot is free')
  const { place, common } = taken
  const sequence = batches.join(place.index)
  try {
    let at = forgetsParts ? common : 0
    keptTokens = at
    place.kept = prompt.slice(0, at)
    await sequence.keep(at)
    const parts = cut(promptTokens, at, pieces)
    const last = parts.pop()
    for (const { end: to, keep } of parts) {
      if (isCancelled()) return end('cancelled')
      await sequence.evaluate(prompt.slice(at, to))
      at = to
      place.kept = prompt.slice(0, keep)
      onStep()
    }
    const drawn = drawTokens(sequence, prompt.slice(at), {
      model,
      vocabulary,
      samplers,
      sampling,
      topLogprobs,
      form: form === null ? null : begin(buildForm(form)),
    })
    for await (const { token, logprob } of drawn) {
      completionTokens += 1
      if (completionTokens === 1) place.kept = prompt.slice(0, last?.keep)
      onStep()
      if (isCancelled()) return end('cancelled')
      const whole = text.push(token)
      shown.token(whole, logprob)
      const piece = filter.push(reader === undefined ? whole : textOf(reader.push(whole)))
      shown.push(piece.text)
      if (piece.stopped) {
        shown.end()
        return end('stop')
      }
      if (completionTokens === limit) return endOfText('length')
    }
    return endOfText('stop')
  } finally {
    sequence.leave()
    places.give(place)
  }
}

/** Gives text on: as it comes, or with log-probabilities once it is whole tokens. */
function createShownText(withLogprobs: boolean, onText: RunControl['onText']) {
  if (!withLogprobs) return { token() {}, push: (text: string) => onText(text), end() {} }
  const logprobs = createLogprobText<TokenLogprob>()
  let length = 0
  const give = ({ text, entries }: Piece<TokenLogprob>) => onText(text, entries)
  return {
    token(text: string, logprob: TokenLogprob | undefined) {
      length += text.length
      if (logprob !== undefined) logprobs.token(logprob, length)
    },
    push: (text: string) => give(logprobs.push(text)),
    end: () => give(logprobs.end()),
  }
}

/** The prompt as the model's own template writes it, or why the template refuses these messages. */
function tokenize(
  model: LlamaModel,
  templates: readonly JinjaTemplateChatWrapper[],
  messages: readonly PromptMessage[],
): Token[] | string {
  const chatHistory = [...messages.map(toHistoryItem), { type: 'model' as const, response: [] }]
  let reason = ''
  for (const template of templates) {
    try {
      // Only what the template itself writes can become a marker: a marker in a message stays plain text.
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
