// Streaming (STREAM): the framing, the order and the end of a stream.
import type { Section } from '../section.ts'

export const streaming = {
  source: 'wire',
  subject: 'server',
  rows: {
    'STREAM-1': {
      about: 'content type',
      requires: 'stream',
      brokenBy: ['framing', 'end'],
      rule: 'MUST: `stream: true`: 200, `text/event-stream`, records `data: <json>` each ended by a blank line, the last one included. Everything that the event-stream standard allows is accepted: comments, CRLF, no space after the colon. The HTTP message itself is whole: one framing, its last chunk or exactly the declared length.',
    },
    'STREAM-2': {
      brokenBy: ['end'],
      rule: 'MUST: The stream ends with `data: [DONE]`, once, and nothing follows (comments aside). The body then ends within 5 seconds, without a reset; the connection may stay open. A stream whose body does not end fails this row.',
    },
    'STREAM-3':
      'MUST: Every chunk has `object` = `chat.completion.chunk` and the same `id`, `created`, `model`.',
    'STREAM-4': 'MUST: The first delta of each choice carries `role: "assistant"`, and no later one does.',
    'STREAM-5':
      "MUST: `finish_reason` is null or absent until the choice's last delta, then set exactly once from the closed set; no delta for the choice follows.",
    'STREAM-6':
      'MUST: Streamed and plain agree on the same request to a deterministic model: text, reasoning text, finish reason, refusal, and usage where both give it, also with stop strings of several characters; no chunk splits a character.',
    'STREAM-7':
      'MUST: `include_usage`: one last chunk with empty `choices` and `usage`; `usage` null or absent on the others. Without it no usage chunk.',
    'STREAM-8':
      "MUST: With `n` > 1 every choice's deltas carry its index and each choice is complete: on a model that echoes, its text too.",
    'STREAM-9': 'MUST: No `error` key on a good chunk, no event without data; keep-alives are comments.',
    'STREAM-10': {
      about: 'content type',
      rule: 'MUST: Errors known before the first token (400, 401, 404, 429) are plain JSON answers with their status, also with `stream: true`.',
    },
    'STREAM-11':
      'SHOULD: Deltas arrive as they are produced, not in one piece at the end, also for a client that accepts gzip, and also with `tools`, `response_format` or `logprobs` in the request. (Not applicable to a model that answers at once.)',
    'STREAM-12': 'SHOULD: A client that disconnects stops the work, plain and streamed.',
    'STREAM-13': 'MUST strict: Invalid bodies with `stream: true` are judged as without it.',
    'STREAM-14':
      'SHOULD: No stream is silent for more than 15 seconds between the request and its last byte: a chunk or a comment comes before that, also while a long prompt is read. (Judged on every stream of the run; not applicable if none took that long.)',
  },
} as const satisfies Section
