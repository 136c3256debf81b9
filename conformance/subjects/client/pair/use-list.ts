// The uses of a client library with a server, by id, in reading order. An id never changes; `use.` and it are the id of a check.
export const USES = {
  plain: 'a plain answer',
  stream: 'a streamed answer',
  'stream-usage': 'the token counts of a stream',
  abort: 'a stream that the person stops',
  call: 'a call of a tool',
  'parallel-calls': 'two calls in one answer',
  'streamed-call': 'a streamed call',
  conversation: 'a conversation with the results of calls',
  reasoning: 'the reasoning of the model is shown',
  'reasoning-sent-back': 'the reasoning is sent back in the next turn',
  'structured-strict': 'structured output by a strict schema',
  'structured-loose': 'structured output as any JSON object',
  image: 'an image as a part of a message',
  'long-text': 'a long text',
  unicode: 'text of any Unicode',
  'unknown-model': 'an unknown model is reported',
  'wrong-key': 'a wrong key is reported',
  'rate-limit': 'a 429 with `Retry-After` is obeyed',
  'long-context': 'a context that is too long is reported',
  'ten-at-once': 'ten requests at once',
} as const
export type UseId = keyof typeof USES
export const USE_IDS = Object.keys(USES) as [UseId, ...UseId[]]
