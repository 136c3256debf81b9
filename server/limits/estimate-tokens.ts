// The estimated tokens of a request: reserved when it is admitted, corrected when its answer ends.
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import { tokenLimit } from '../engines/request-options.ts'
import { estimatePromptTokens } from '../engines/token-estimates.ts'

/** Tokens of the prompt and the answers. An answer without a limit is assumed to have `answerTokens`. */
export function estimateTokens(request: ChatCompletionRequest, answerTokens: number): number {
  const limit = tokenLimit(request)
  const answer = limit === Infinity ? answerTokens : limit
  return estimatePromptTokens(request) + (request.n ?? 1) * answer
}
