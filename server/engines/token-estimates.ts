// Estimated token counts, for text whose tokeniser is unknown.
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import type { Delta } from './engine.ts'
import { tokenLimit } from './request-options.ts'

/** Average characters per token, over languages and models. */
const CHARS_PER_TOKEN = 4

/** The estimated tokens of the texts of all messages. */
export function estimatePromptTokens({ messages }: ChatCompletionRequest): number {
  return Math.ceil(messages.reduce((sum, { content }) => sum + lengthOf(content), 0) / CHARS_PER_TOKEN)
}

/**
 * The tokens of the prompt and the answers, reserved when a request is admitted and corrected when its answer ends. An
 * answer without a limit is assumed to have `answerTokens`.
 */
export function estimateTokens(request: ChatCompletionRequest, answerTokens: number): number {
  const limit = tokenLimit(request)
  const answer = limit === Infinity ? answerTokens : limit
  return estimatePromptTokens(request) + (request.n ?? 1) * answer
}

function lengthOf(content: ChatCompletionRequest['messages'][number]['content']): number {
  if (typeof content === 'string') return content.length
  return (content ?? []).reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
}

/** The estimated tokens of a delta: at least one if it has any text. */
export function estimateDeltaTokens(delta: Delta): number {
  if (delta.type === 'text' || delta.type === 'refusal')
    return delta.logprobs?.length ?? Math.ceil(delta.text.length / CHARS_PER_TOKEN)
  return delta.type === 'tool-call' ? Math.ceil(delta.arguments.length / CHARS_PER_TOKEN) : 0
}
