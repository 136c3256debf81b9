// What one request may cost at most. Each bound is looked at before the work that it bounds.
import { whole } from './setting.ts'

export const bounds = {
  bodyBytes: whole('MAX_BODY_BYTES', 4_194_304, [1024, 1_073_741_824, 'bytes'], 'largest request body'),
  bodyValues: whole(
    'MAX_BODY_VALUES',
    65_536,
    [100, 100_000_000, 'values'],
    'JSON values in a request body: objects, arrays, names, strings, numbers',
  ),
  messages: whole(
    'MAX_MESSAGES',
    2048,
    [1, 1_000_000, 'messages'],
    'messages of a request, together with their content parts and tool calls',
  ),
  logitBias: whole('MAX_LOGIT_BIAS', 1024, [1, 1_000_000, 'entries'], 'entries of logit_bias'),
  stopChars: whole('MAX_STOP_CHARS', 1024, [1, 1_000_000, 'characters'], 'length of a stop string'),
  answerTokens: whole(
    'MAX_ANSWER_TOKENS',
    1_048_576,
    [1, 1_000_000_000, 'tokens'],
    'the product of n and the token limit of a request',
  ),
  answerBytes: whole(
    'MAX_ANSWER_BYTES',
    16_777_216,
    [1024, 1_073_741_824, 'bytes'],
    'text of an answer, of all its choices together; a log probability counts as 64 bytes',
  ),
}
