// The size of an answer of the echo model, which is known before it is made.
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { ALTERNATIVE_BYTES, answerTooLarge, jsonBytes, LOGPROB_BYTES, RECORD_BYTES } from '../answer-size.ts'
import { countCodePoints } from '../text/code-points.ts'

/** The bytes of an escaped character, for example \u0001. */
const MOST_ESCAPED_BYTES = 6

/** Throws the 400 of an answer whose choices, each with this text, are larger than it may be. */
export function refuseLarge(
  request: ChatCompletionRequest,
  text: string,
  maxBytes: number,
  deltaTokens: number,
): void {
  const { n, stream, logprobs, top_logprobs: top } = request
  const perToken =
    (stream === true ? RECORD_BYTES / deltaTokens : 0) +
    (logprobs === true ? LOGPROB_BYTES : 0) +
    ((top ?? 0) > 0 ? ALTERNATIVE_BYTES : 0)
  const choices = n ?? 1
  const units = choices * text.length
  // The usual answer is within the bound even if each character is escaped.
  if (units * (perToken + MOST_ESCAPED_BYTES) <= maxBytes) return
  // An answer that is over the bound even without escapes need not be encoded.
  const isOver =
    units * (1 + perToken / 2) > maxBytes ||
    choices * (jsonBytes(text) + (perToken && countCodePoints(text) * perToken)) > maxBytes
  if (isOver) throw answerTooLarge(maxBytes, request)
}
