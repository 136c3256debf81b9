// The size of an answer as it is written, in bytes: JSON escapes, log probabilities and the members of records count.
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import { type ApiError, invalidRequest } from '../http/api-error.ts'

/** The least bytes that one token with its log probability takes, and that each of its alternatives adds. */
export const LOGPROB_BYTES = 57
export const ALTERNATIVE_BYTES = 39

/** The least bytes of a record in a stream, without the text of its delta. */
export const RECORD_BYTES = 180

/** The bytes of a text in UTF-8. Most texts are a few letters, whose length is known without a native call. */
export function byteLength(text: string): number {
  if (text.length > 16) return Buffer.byteLength(text)
  for (let index = 0; index < text.length; index += 1)
    if (text.charCodeAt(index) > 0x7f) return Buffer.byteLength(text)
  return text.length
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Those with an escape of two characters: \b, \t, \n, \f, \r. */
const SHORTLY_ESCAPED: ReadonlySet<number> = new Set([8, 9, 10, 12, 13])

/** The bytes of a text in JSON (RFC 8259), without its quotes. Computed without encoding the text, which may be long. */
export function jsonBytes(text: string): number {
  let bytes = Buffer.byteLength(text)
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x20) bytes += SHORTLY_ESCAPED.has(unit) ? 1 : 5
    else if (unit === QUOTE || unit === BACKSLASH) bytes += 1
  }
  // A lone surrogate, three bytes in UTF-8, is escaped with six.
  return text.isWellFormed() ? bytes : bytes + 3 * (text.match(/\p{Surrogate}/gu)?.length ?? 0)
}

/** The 400 of an answer over the bound: the client must request less, because the same request would fail again. */
export function answerTooLarge(
  maxBytes: number,
  { n, logprobs, top_logprobs }: ChatCompletionRequest,
): ApiError {
  const [param, less] =
    (n ?? 1) > 1
      ? ['n', 'fewer choices']
      : (top_logprobs ?? 0) > 0
        ? ['top_logprobs', 'fewer alternatives']
        : logprobs === true
          ? ['logprobs', 'no log probabilities']
          : ['max_completion_tokens', 'fewer tokens']
  return invalidRequest(
    `Invalid '${param}': the answer is larger than ${maxBytes} bytes; request ${less} with '${param}'.`,
    param,
    'answer_too_large',
  )
}
