// The behaviour of odd but compliant servers, and the scenario in which a scripted service does the same to gateways and clients:
// whatever the judge of servers accepts, the other judges send. Keys are the ids of odd servers in `fixtures/faulty`.

/** The reason why nothing is sent. */
interface Left {
  readonly reason: string
}

/** The name of a scenario, or why there is none. */
export interface Tolerance {
  readonly gateway: string | Left
  readonly client: string | Left
}

const ITS_OWN: Left = {
  reason: 'keys, models, paths and headers of a service stay between it and the gateway',
}
const OWN_ERRORS: Left = {
  reason: "the message, the type and the code of an error may be the gateway's own (GATE-5)",
}
const REFUSED: Left = {
  reason: 'a refusal crosses as a refusal, whatever it is about: `refused-400`',
}
const CONTENT: Left = {
  reason: 'another content in the usual form, which a gateway does not look at',
}
const LIMITS: Left = {
  reason: 'how a service limits is not seen behind a gateway: a 429 crosses as `refused-429`',
}
const SLOW: Left = {
  reason: 'the time and the name that a service gives are compared with no clock and no list',
}
const EITHER: Left = {
  reason: 'TOOL-2 allows both finish reasons of a forced call, so a gateway may send either',
}
const NAMED: Left = {
  reason: 'the format has this name elsewhere, so that a comparison takes it for a documented member',
}

const NO_COMPLETION: Left = { reason: 'not about the answer to a request that a program is asked to send' }
const OTHER_HEADERS: Left = { reason: 'headers and clocks that no row of clients is about' }
const CONNECTIONS: Left = { reason: 'a program makes one call, so a connection is seldom used again' }
const ONE_CHOICE: Left = { reason: 'a program is to request one choice only' }
const PRINTED: Left = { reason: 'another content in the usual form, which a client prints as it is' }
const NO_LOGPROBS: Left = { reason: 'the requests of programs have no log probabilities' }
const NO_BOUND: Left = { reason: 'a client may have a time limit of its own, so none is asked to wait' }
const NO_COUNTS: Left = { reason: 'a program prints no usage, which `unknown-members` covers otherwise' }
const ANY_ID: Left = { reason: 'ids are texts that a client gives back, which a conversation shows' }
const NOT_FORCED: Left = { reason: 'the requests of programs do not force a call' }
const AFTER_DONE: Left = { reason: 'a program may close its connection at `[DONE]`, or wait for the end' }

export const tolerances: Readonly<Record<string, Tolerance>> = {
  'odd-knows-key-paths': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-implements-no-key-paths': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-limits-at-creation': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-overloaded-at-creation': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-lets-its-own-page-in': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-answers-preflights': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-open-to-any-page': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-opens-to-the-asking-page': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-allows-every-page': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-refuses-two-keys-400': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-empty-bearer': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-refuses-queries': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-404-outside': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-401-outside': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-redirects-outside': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-json-outside': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-proxy': { gateway: 'answer-text', client: 'plain' },
  'odd-empty-refusals': { gateway: CONTENT, client: 'empty-members' },
  'odd-unimplemented-methods': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-pieces': { gateway: 'answer-in-pieces', client: 'plain-chunked' },
  'odd-extra-members': { gateway: 'vendor-answer', client: 'unknown-members' },
  'odd-bare-answers': { gateway: 'answer-bare', client: 'absent-members' },
  'odd-json-text': { gateway: 'answer-escaped', client: 'plain-escapes' },
  'odd-null-for-nothing': { gateway: 'answer-null', client: 'null-content' },
  'odd-codes': { gateway: OWN_ERRORS, client: 'code-retry-400' },
  'odd-statuses': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-retry-after': { gateway: 'refused-429-fraction', client: 'retry-after-1-5' },
  'odd-connections': { gateway: 'answer-closes', client: CONNECTIONS },
  'odd-refusals': { gateway: REFUSED, client: 'status-400' },
  'odd-busy': { gateway: 'refused-503', client: 'backoff-503' },
  'odd-error-ids': { gateway: OWN_ERRORS, client: 'body-detail' },
  'odd-line-behind-errors': { gateway: OWN_ERRORS, client: 'body-detail' },
  'odd-records-of-now': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-fields-in-messages': { gateway: OWN_ERRORS, client: 'says-retry-400' },
  'odd-fields-by-path': { gateway: OWN_ERRORS, client: 'says-retry-400' },
  'odd-methods-not-implemented': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-redirects-slashes': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-quotes-all': { gateway: OWN_ERRORS, client: 'says-retry-400' },
  'odd-japanese-errors': { gateway: OWN_ERRORS, client: 'says-retry-400' },
  'odd-errors-with-links': { gateway: OWN_ERRORS, client: 'says-retry-400' },
  'odd-quoted-requests': { gateway: OWN_ERRORS, client: 'says-retry-400' },
  'odd-masked-keys': { gateway: OWN_ERRORS, client: 'status-401' },
  'odd-refuses-lone-surrogates': { gateway: REFUSED, client: 'status-400' },
  'odd-replaces-lone-surrogates': { gateway: REFUSED, client: 'status-400' },
  'odd-json-alone': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-refuses-long-text': { gateway: REFUSED, client: 'status-400' },
  'odd-refuses-combinations': { gateway: REFUSED, client: 'status-400' },
  'odd-demands-a-last-user': { gateway: REFUSED, client: 'status-400' },
  'odd-small-bodies': { gateway: REFUSED, client: 'status-400' },
  'odd-lenient': { gateway: REFUSED, client: 'status-400' },
  'odd-framing': { gateway: 'stream-crlf', client: 'framed-crlf' },
  'odd-byte-order-mark': { gateway: 'stream-byte-order-mark', client: 'framed-byte-order-mark' },
  'odd-end-of-stream': { gateway: 'stream-left-open', client: AFTER_DONE },
  'odd-chunks': { gateway: 'stream-null-content', client: 'null-content-streamed' },
  'odd-usage-at-the-end-only': { gateway: 'stream-with-usage', client: 'usage-chunk' },
  'odd-holds-text-back': { gateway: 'stream-short', client: 'framed-one-piece' },
  'odd-first-choice-first': { gateway: 'stream-choice-by-choice', client: ONE_CHOICE },
  'odd-short-streams': { gateway: 'stream-short', client: 'framed-short' },
  'odd-text-beside-calls': { gateway: 'answer-text-and-call', client: 'conversation' },
  'odd-required-choice': { gateway: EITHER, client: NOT_FORCED },
  'odd-single-calls': { gateway: 'answer-text-and-call', client: 'empty-arguments' },
  'odd-repeated-calls': { gateway: 'answer-calls', client: NOT_FORCED },
  'odd-calls-again': { gateway: CONTENT, client: PRINTED },
  'odd-joins-messages': { gateway: CONTENT, client: PRINTED },
  'odd-reasons-apart': { gateway: 'vendor-stream', client: 'unknown-members-of-deltas' },
  'odd-refuses-long-prompts': { gateway: REFUSED, client: 'status-400' },
  'odd-counts-its-template': { gateway: CONTENT, client: PRINTED },
  'odd-counts-its-ends': { gateway: CONTENT, client: NO_COUNTS },
  'odd-repeats-types-of-calls': { gateway: 'stream-repeated-types', client: 'repeated-types' },
  'odd-counts-its-calls': { gateway: CONTENT, client: ANY_ID },
  'odd-counts-calls-of-conversations': { gateway: CONTENT, client: 'conversation-ids-again' },
  'odd-thinks-before-calls': {
    gateway: 'thoughts-as-they-arrive',
    client: 'conversation-reasoning-streamed',
  },
  'odd-streams-choice-by-choice': { gateway: 'stream-choice-by-choice', client: ONE_CHOICE },
  'odd-demands-its-thoughts': { gateway: 'vendor-message', client: 'conversation' },
  'odd-demands-its-signatures': { gateway: 'vendor-replayed-call', client: 'conversation' },
  'odd-stores-completions': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-refuses-sampling': { gateway: REFUSED, client: 'status-400' },
  'odd-stops-at-limits': { gateway: CONTENT, client: PRINTED },
  'odd-no-candidate-lists': { gateway: 'answer-logprobs', client: NO_LOGPROBS },
  'odd-token-names': { gateway: 'answer-logprobs', client: NO_LOGPROBS },
  'odd-calls': { gateway: 'answer-empty-text-beside-calls', client: 'conversation' },
  'odd-named-choice': { gateway: EITHER, client: NOT_FORCED },
  'odd-logprobs': { gateway: 'answer-logprobs-without-bytes', client: NO_LOGPROBS },
  'odd-bounds': { gateway: REFUSED, client: 'status-400' },
  'odd-refuses-whole-numbers-with-a-point': { gateway: REFUSED, client: 'status-400' },
  'odd-json-layout': { gateway: CONTENT, client: PRINTED },
  'odd-slow-model': { gateway: 'stream-of-minutes', client: NO_BOUND },
  'odd-few-at-a-time': { gateway: 'together-streamed', client: NO_BOUND },
  'odd-azure-filters': { gateway: 'vendor-chunk', client: 'unknown-members' },
  'odd-azure-first-chunk': { gateway: 'stream-filter-report', client: 'filter-chunk' },
  'odd-azure-headers': { gateway: ITS_OWN, client: OTHER_HEADERS },
  'odd-azure-retry-after-ms': { gateway: LIMITS, client: 'retry-after-among-others' },
  'odd-openrouter-members': { gateway: 'vendor-chunk', client: 'unknown-members' },
  'odd-openrouter-cost': { gateway: 'answer-odd-usage', client: NO_COUNTS },
  'odd-groq-times': { gateway: 'answer-odd-usage', client: NO_COUNTS },
  'odd-groq-members': { gateway: 'vendor-chunk', client: 'unknown-members' },
  'odd-groq-limits': { gateway: LIMITS, client: OTHER_HEADERS },
  'odd-openai-dated-model': { gateway: ITS_OWN, client: PRINTED },
  'odd-openai-obfuscation': { gateway: 'vendor-stream', client: 'unknown-members-of-chunks' },
  'odd-openai-headers': { gateway: ITS_OWN, client: OTHER_HEADERS },
  'odd-mistral-call-ids': { gateway: 'answer-calls', client: ANY_ID },
  'odd-mistral-models': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-deepseek-cache': { gateway: 'answer-odd-usage', client: NO_COUNTS },
  'odd-deepseek-reasoning': { gateway: 'vendor-stream', client: 'unknown-members-of-deltas' },
  'odd-cerebras-times': { gateway: 'vendor-answer', client: 'unknown-members' },
  'odd-perplexity-citations': { gateway: 'vendor-chunk', client: 'unknown-members' },
  'odd-together-members': { gateway: 'vendor-answer', client: 'unknown-members' },
  'odd-moonshot-choice-usage': { gateway: 'stream-usage-in-a-choice', client: 'unknown-members-of-chunks' },
  'odd-nvidia-usage': { gateway: 'stream-odd-usage', client: NO_COUNTS },
  'odd-vllm-members': { gateway: 'vendor-answer', client: 'unknown-members' },
  'odd-vllm-no-calls': { gateway: 'answer-no-calls', client: 'empty-members' },
  'odd-vllm-usage': { gateway: 'answer-odd-usage', client: NO_COUNTS },
  'odd-vllm-call-ids': { gateway: 'answer-calls', client: ANY_ID },
  'odd-vllm-plain-arguments': { gateway: 'answer-calls', client: 'conversation' },
  'odd-ollama-head': { gateway: 'vendor-answer', client: 'unknown-members' },
  'odd-llama-timings': { gateway: 'vendor-chunk', client: 'unknown-members-of-chunks' },
  'odd-llama-models': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-llama-token-ids': { gateway: NAMED, client: NO_LOGPROBS },
  'odd-litellm-nulls': { gateway: 'stream-nulls', client: 'null-members-streamed' },
  'odd-litellm-headers': { gateway: ITS_OWN, client: OTHER_HEADERS },
  'odd-skewed-clock': { gateway: SLOW, client: OTHER_HEADERS },
  'odd-cloudflare-headers': { gateway: ITS_OWN, client: OTHER_HEADERS },
  'odd-nginx-buffering-off': { gateway: ITS_OWN, client: OTHER_HEADERS },
  'odd-www-authenticate': { gateway: ITS_OWN, client: OTHER_HEADERS },
  'odd-openrouter-comments': { gateway: 'stream-comments', client: 'framed-comments' },
  'odd-deepseek-waits': { gateway: 'answer-behind-empty-lines', client: 'plain-behind-empty-lines' },
  'odd-llama-closes-streams': { gateway: 'stream-closes', client: CONNECTIONS },
  'odd-nginx-buffers': { gateway: 'stream-one-piece', client: 'framed-one-piece' },
  'odd-one-token-deltas': { gateway: 'stream-same-delta', client: 'framed-equal-deltas' },
  'odd-gemini-whole-calls': { gateway: 'stream-whole-calls', client: 'whole-calls' },
  'odd-padded-retry-after': { gateway: 'refused-429', client: 'retry-after-2' },
  'odd-compresses-gzip': { gateway: 'body-compressed-answer', client: 'plain-gzip' },
  'odd-compresses-br': { gateway: 'body-compressed-answer-br', client: 'plain-br' },
  'odd-compresses-deflate': { gateway: 'body-compressed-answer-deflate', client: 'plain-deflate' },
  'odd-cold-start': { gateway: SLOW, client: NO_BOUND },
  'odd-late-at-times': { gateway: SLOW, client: NO_BOUND },
  'odd-shared-limit': { gateway: LIMITS, client: 'retry-after-1' },
  'odd-without-keys': { gateway: ITS_OWN, client: NO_COMPLETION },
  'odd-simulator-random-arguments': { gateway: CONTENT, client: PRINTED },
  'odd-simulator-refuses-type-lists': { gateway: REFUSED, client: 'status-400' },
  'odd-thinking-model': { gateway: 'answer-ends-with-length', client: 'null-content' },
  'odd-real-media-only': { gateway: REFUSED, client: 'status-400' },
  'odd-refuses-names': { gateway: REFUSED, client: 'status-400' },
  'odd-byte-tokens': { gateway: 'stream-logprobs', client: NO_LOGPROBS },
  'odd-refusal-logprobs': { gateway: 'answer-logprobs-without-bytes', client: NO_LOGPROBS },
  'odd-other-token-ids': { gateway: CONTENT, client: PRINTED },
  'odd-shares-one-count': { gateway: LIMITS, client: 'retry-after-1' },
  'odd-wait-in-unix-time': { gateway: LIMITS, client: 'wait-a-month' },
  'odd-wait-in-milliseconds': { gateway: LIMITS, client: 'wait-a-day' },
  'odd-refills-a-bucket': { gateway: LIMITS, client: 'retry-after-1' },
  'odd-slides-its-window': { gateway: LIMITS, client: 'retry-after-1' },
  'odd-counts-refusals': { gateway: LIMITS, client: 'retry-after-1' },
  'odd-admits-no-burst': { gateway: LIMITS, client: 'retry-after-1' },
  'odd-ends-a-window-in-a-burst': { gateway: LIMITS, client: 'retry-after-1' },
  'odd-has-numbers-of-its-own': { gateway: 'vendor-hard-answer', client: 'unknown-members' },
  'odd-adds-float-counts': { gateway: 'answer-odd-usage', client: NO_COUNTS },
  'odd-writes-logprobs-with-exponents': { gateway: 'answer-logprobs', client: NO_LOGPROBS },
  'odd-writes-arguments-as-floats': { gateway: 'answer-hard-calls', client: 'hard-arguments' },
  'odd-escapes-arguments': { gateway: 'answer-hard-calls', client: 'hard-arguments' },
  'odd-refuses-hard-schemas': { gateway: REFUSED, client: 'status-400' },
  'odd-takes-text-alone': { gateway: REFUSED, client: 'status-400' },
  'odd-jitters-logprobs': { gateway: CONTENT, client: NO_LOGPROBS },
  'odd-rounds-streamed-logprobs': { gateway: CONTENT, client: NO_LOGPROBS },
  'odd-thinks-under-two-names': { gateway: 'vendor-stream', client: 'conversation-both-thoughts' },
  'odd-thinks-otherwise-each-time': { gateway: CONTENT, client: PRINTED },
}
