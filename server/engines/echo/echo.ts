// The deterministic engine: what others sample, this one knows, so a check against it can be exact.
//
// Tokenisation: one token per Unicode code point, its id the code point; a lone surrogate counts as one. A prompt has
// the tokens of all its messages' texts; an answer those of its text, or of its calls' arguments. A delta carries up
// to `DELTA_TOKENS` whole tokens. Every token is certain: its log probability is 0. A `logit_bias` of -100 removes a
// code point; no other sampling parameter can change an answer that is certain, so they are taken.
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import type { FinishReason, TokenLogprob } from '../../../spec/schemas/response.ts'
import { type EchoAnswer, type EchoCall, echoAnswer, textOf } from './answer.ts'
import { createSandbox, type Sandbox } from '../constrained/sandbox/sandbox.ts'
import { answerTooLarge, LOGPROB_BYTES } from '../answer-size.ts'
import type { Delta, Deltas, Engine, GenerateContext } from '../engine.ts'
import { createStopFilter } from '../text/stop-filter.ts'
import { refuseUnsupported } from '../support.ts'
import { stopsOf, tokenLimit } from '../request-options.ts'
import { newId } from '../../http/ids.ts'

/** The id of the echo model. */
export const ECHO_MODEL = 'svc-0.1-echo'

/** Tokens in one delta: enough that a long answer is not a flood of tiny records, few enough that streams are streams. */
const DELTA_TOKENS = 4

/** Deltas that are given at a time: between them an abort is noticed, and a slow reader waited for. */
const DELTAS_AT_A_TIME = 64

/** Makes the echo engine. `created` is the model's time in Unix seconds; schemas are asked in `sandbox`. */
export function createEchoEngine(created: number, sandbox: Sandbox = createSandbox()): Engine {
  return {
    models: [{ id: ECHO_MODEL, created, ownedBy: 'touchstone' }],
    generate(request, context) {
      refuseUnsupported(request)
      const { signal, keyId = '' } = context
      const answer = echoAnswer(request, ({ param, ...asked }) =>
        sandbox.run({ type: 'fit', ...asked }, [param], { signal, keyId }),
      )
      // Only a schema costs a wait.
      if (typeof answer === 'function') return echoLater(request, answer, context)
      const deltas = echo(request, answer, context.maxAnswerBytes)
      return { [Symbol.asyncIterator]: () => inParts(deltas, signal) }
    },
    close: () => sandbox.close(),
  }
}

async function* echoLater(
  request: ChatCompletionRequest,
  answer: () => Promise<EchoAnswer>,
  { signal, maxAnswerBytes }: GenerateContext,
): AsyncGenerator<Deltas> {
  const deltas = echo(request, await answer(), maxAnswerBytes)
  yield* { [Symbol.asyncIterator]: () => inParts(deltas, signal) }
}

/** A delta of any choice: it is sent once for each of them. */
type Step = (index: number) => Delta

/** A plain iterator: an async generator around another costs a turn of the promise queue for each step. */
function inParts(deltas: Generator<Delta>, signal: AbortSignal): AsyncIterator<Deltas> {
  return {
    async next() {
      signal.throwIfAborted()
      const value: Delta[] = []
      while (value.length < DELTAS_AT_A_TIME) {
        const step = deltas.next()
        if (step.done === true) break
        value.push(step.value)
      }
      return value.length === 0 ? { done: true, value: undefined } : { done: false, value }
    },
  }
}

function* echo(request: ChatCompletionRequest, answer: EchoAnswer, maxAnswerBytes: number): Generator<Delta> {
  const choices = request.n ?? 1
  const { steps, tokens, reason } =
    'calls' in answer
      ? callSteps(request, answer.calls, maxAnswerBytes)
      : textSteps(request, answer.text, maxAnswerBytes)
  for (const step of steps) {
    for (let index = 0; index < choices; index += 1) yield step(index)
  }
  for (let index = 0; index < choices; index += 1) yield { type: 'finish', index, reason }
  const promptTokens = request.messages.reduce((sum, message) => sum + [...textOf(message)].length, 0)
  const completionTokens = tokens * choices
  yield {
    type: 'usage',
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  }
}

interface Steps {
  readonly steps: Iterable<Step>
  /** Tokens of one choice. */
  readonly tokens: number
  readonly reason: FinishReason
}

function textSteps(request: ChatCompletionRequest, text: string, maxBytes: number): Steps {
  const removed = new Set(
    Object.entries(request.logit_bias ?? {}).flatMap(([id, bias]) => (bias === -100 ? Number(id) : [])),
  )
  const all =
    removed.size === 0 ? [...text] : [...text].filter((token) => !removed.has(token.codePointAt(0) ?? -1))
  const within = all.slice(0, tokenLimit(request))

  const limited = within.join('')

  // A stop string counts only where it lies within the token limit, as it would be met token by token.
  const { text: shown, stopped } = createStopFilter(stopsOf(request)).push(limited)
  const tokens = stopped ? [...shown] : within
  const candidates = request.logprobs !== true ? 0 : (request.top_logprobs ?? 0) > 0 ? 2 : 1
  const bytes = Buffer.byteLength(stopped ? shown : limited) + tokens.length * candidates * LOGPROB_BYTES
  refuseLarge(request, bytes, maxBytes)
  const logprobs =
    request.logprobs === true
      ? (piece: readonly string[]) => piece.map((token) => certain(token, request.top_logprobs ?? 0))
      : undefined

  return {
    tokens: tokens.length,
    reason: stopped || within.length === all.length ? 'stop' : 'length',
    steps: pieces(tokens, request.stream === true).map((piece): Step => {
      const delta = {
        type: 'text' as const,
        text: piece.join(''),
        ...(logprobs === undefined ? {} : { logprobs: logprobs(piece) }),
      }
      return (index) => ({ ...delta, index })
    }),
  }
}

function callSteps(request: ChatCompletionRequest, calls: readonly EchoCall[], maxBytes: number): Steps {
  const bytes = calls.reduce((sum, call) => sum + Buffer.byteLength(call.arguments), 0)
  refuseLarge(request, bytes, maxBytes)
  const steps: Step[] = []
  const limit = tokenLimit(request)
  let used = 0
  let cut = false
  for (const [call, { name, arguments: json }] of calls.entries()) {
    if (cut) break
    const all = [...json]
    const tokens = all.slice(0, limit - used)
    cut = tokens.length < all.length
    used += tokens.length
    steps.push((index) => ({
      type: 'tool-call',
      index,
      call,
      id: newId('call_'),
      name,
      arguments: '',
    }))
    for (const piece of pieces(tokens, request.stream === true))
      steps.push((index) => ({ type: 'tool-call', index, call, arguments: piece.join('') }))
  }
  return { steps, tokens: used, reason: cut ? 'length' : 'tool_calls' }
}

/** Throws the 400 of an answer whose choices, of so many bytes each, are more than it may have. */
function refuseLarge({ n }: ChatCompletionRequest, bytes: number, maxBytes: number): void {
  if (bytes * (n ?? 1) > maxBytes) throw answerTooLarge(maxBytes)
}

/** The tokens of each delta. An answer that nobody sees grow is one. */
function pieces(tokens: readonly string[], streamed: boolean): (readonly string[])[] {
  if (!streamed) return tokens.length === 0 ? [] : [tokens]
  const count = Math.ceil(tokens.length / DELTA_TOKENS)
  return Array.from({ length: count }, (_, place) =>
    tokens.slice(place * DELTA_TOKENS, (place + 1) * DELTA_TOKENS),
  )
}

/** The log probability of a token that no other could have taken the place of. */
function certain(token: string, top: number): TokenLogprob {
  const candidate = { token, logprob: 0, bytes: token.isWellFormed() ? [...Buffer.from(token)] : null }
  return { ...candidate, top_logprobs: top > 0 ? [candidate] : [] }
}
