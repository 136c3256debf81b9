// How large an answer is: what it takes of memory and of the line, counted while it is made.
import type { Delta } from './engine.ts'
import { type ApiError, invalidRequest } from '../http/errors.ts'

/** The size of one token with its log probability, in bytes. */
export const LOGPROB_BYTES = 64

/** The bytes that a delta adds to its answer. */
export function sizeOf(delta: Delta): number {
  switch (delta.type) {
    case 'text': {
      const { logprobs } = delta
      const candidates = logprobs?.reduce((sum, { top_logprobs: top }) => sum + 1 + top.length, 0) ?? 0
      return byteLength(delta.text) + candidates * LOGPROB_BYTES
    }
    case 'tool-call':
      return Buffer.byteLength(delta.arguments)
    case 'finish':
    case 'usage':
      return 0
  }
}

/** Of a few letters, as most deltas have, it is known sooner without a call out of JavaScript. */
function byteLength(text: string): number {
  if (text.length > 16) return Buffer.byteLength(text)
  for (let index = 0; index < text.length; index += 1)
    if (text.charCodeAt(index) > 0x7f) return Buffer.byteLength(text)
  return text.length
}

/** The 400 of an answer over the bound: the client must request less, because the same request would fail again. */
export function answerTooLarge(maxBytes: number): ApiError {
  return invalidRequest(
    `The answer is larger than ${maxBytes} bytes: ask for fewer choices with 'n', or for fewer tokens with 'max_completion_tokens'.`,
    'max_completion_tokens',
    'answer_too_large',
  )
}
