// The deterministic engine: the answer is the text of the last user message. What others sample, this one knows, so
// a check against it can be exact.
//
// Tokenisation: one token per Unicode code point, its id the code point; a lone surrogate counts as one. A prompt has
// the tokens of all its messages' texts. A delta carries up to `DELTA_TOKENS` whole tokens.
import type { ChatCompletionRequest } from '../../spec/request.ts'
import type { FinishReason } from '../../spec/response.ts'
import type { Delta, Engine, GenerateContext } from './engine.ts'
import { createStopFilter } from './stop-filter.ts'
import { commonSupport, refuseUnsupported, type Support } from './support.ts'

/** The id of the echo model. */
export const ECHO_MODEL = 'svc-0.1-echo'

/** Tokens in one delta: enough that a long answer is not a flood of tiny records, few enough that streams are streams. */
const DELTA_TOKENS = 4

/** Sampling parameters change nothing where the answer is certain, so they are taken. */
const support: Support = {
  ...commonSupport,
  n: true,
  stop: true,
  max_tokens: true,
  max_completion_tokens: true,
  temperature: true,
  top_p: true,
  seed: true,
  frequency_penalty: true,
  presence_penalty: true,
}

type Message = ChatCompletionRequest['messages'][number]

/** Makes the echo engine. `created` is the model's time in Unix seconds. */
export function createEchoEngine(created: number): Engine {
  return {
    models: [{ id: ECHO_MODEL, created, ownedBy: 'touchstone' }],
    generate(request, context) {
      refuseUnsupported(request, support)
      return echo(request, context)
    },
    async close() {},
  }
}

async function* echo(request: ChatCompletionRequest, { signal }: GenerateContext): AsyncGenerator<Delta> {
  const choices = request.n ?? 1
  const answer = answerTo(request)
  for (let at = 0; at < answer.tokens.length; at += DELTA_TOKENS) {
    signal.throwIfAborted()
    const text = answer.tokens.slice(at, at + DELTA_TOKENS).join('')
    for (let index = 0; index < choices; index += 1) yield { type: 'text', index, text }
  }
  for (let index = 0; index < choices; index += 1) yield { type: 'finish', index, reason: answer.reason }
  const promptTokens = request.messages.reduce((sum, message) => sum + [...textOf(message)].length, 0)
  const completionTokens = answer.tokens.length * choices
  yield {
    type: 'usage',
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  }
}

/** The tokens of one choice, and why they end: a stop string counts only where it lies within the token limit. */
function answerTo(request: ChatCompletionRequest): { tokens: string[]; reason: FinishReason } {
  const last = request.messages.findLast((message) => message.role === 'user')
  const tokens = last === undefined ? [] : [...textOf(last)]
  const limit = Math.min(request.max_tokens ?? Infinity, request.max_completion_tokens ?? Infinity)
  const within = tokens.length > limit ? tokens.slice(0, limit) : tokens

  const stops = typeof request.stop === 'string' ? [request.stop] : (request.stop ?? [])
  const { text, stopped } = createStopFilter(stops).push(within.join(''))
  if (stopped) return { tokens: [...text], reason: 'stop' }
  return { tokens: within, reason: within.length < tokens.length ? 'length' : 'stop' }
}

/** The text of a message: its content, or its text parts joined. */
function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}
