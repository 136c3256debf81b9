// The estimated tokens of a request: reserved when it is admitted, corrected when its answer ends.
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import { tokenLimit } from '../engines/request-options.ts'

/** Average characters per token, over languages and models. */
const CHARS_PER_TOKEN = 4

/** Tokens of the prompt and the answers. An answer without a limit is assumed to have `answerTokens`. */
export function estimateTokens(request: ChatCompletionRequest, answerTokens: number): number {
  const chars = request.messages.reduce((sum, { content }) => sum + lengthOf(content), 0)
  const limit = tokenLimit(request)
  const answer = limit === Infinity ? answerTokens : limit
  return Math.ceil(chars / CHARS_PER_TOKEN) + (request.n ?? 1) * answer
}

function lengthOf(content: ChatCompletionRequest['messages'][number]['content']): number {
  if (typeof content === 'string') return content.length
  return (content ?? []).reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
}
