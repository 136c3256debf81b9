// The requirement catalogue: every sentence of the specification, and every rule of the wire format that it
// adopts, as one numbered row. Ids are stable: a row is never renumbered, a new one takes the next free number.
// One table, however long: a number is looked up in one place.

/** MUST fails a run, SHOULD warns (and fails under `--strict`), MAY is reported only. */
export type Level = 'MUST' | 'SHOULD' | 'MAY'

/** The subject of a row: a service, a program that calls one, this project's key page, or its own judge. */
export type Subject = 'server' | 'client' | 'dashboard' | 'suite'

/** One row of the catalogue. `source` is a section of the specification, or `wire` for the format itself. */
export interface Requirement {
  readonly id: string
  readonly level: Level
  readonly subject: Subject
  readonly source: string
  /** The requirement; the part in parentheses says which other answers are accepted. */
  readonly text: string
}

/** Changes with every change of a row's level, subject or text; reports carry it. */
export const CATALOGUE_VERSION = '1'

const rows = [
  // Authentication
  {
    id: 'AUTH-1',
    level: 'MUST',
    subject: 'server',
    source: 'Authentication',
    text: 'Every endpoint of the service under `/v1` demands a key: a well-formed request without a valid one gets 401 and nothing else happens.',
  },
  {
    id: 'AUTH-2',
    level: 'MUST',
    subject: 'server',
    source: 'Authentication',
    text: 'The only accepted form is `Authorization: Bearer <key>`: the word `Bearer` in that spelling, exactly one space, then the key. Another scheme, another case, two spaces, a tab, a quoted key or a bare key gives 401, type `authentication_error`. (If no key follows `Bearer`, either code is right. White space at the end of the value is stripped by HTTP itself, RFC 9110 5.5, and not judged.)',
  },
  {
    id: 'AUTH-3',
    level: 'MUST',
    subject: 'server',
    source: 'Authentication',
    text: 'No `Authorization` header: 401, type `authentication_error`, code `missing_api_key`.',
  },
  {
    id: 'AUTH-4',
    level: 'MUST',
    subject: 'server',
    source: 'Authentication',
    text: 'A malformed, wrong or revoked key: 401, type `authentication_error`, code `invalid_api_key`. (`Authorization: Bearer` with nothing behind it may be judged missing or malformed.)',
  },
  {
    id: 'AUTH-5',
    level: 'MUST',
    subject: 'server',
    source: 'Authentication',
    text: 'One header works for every endpoint.',
  },
  {
    id: 'AUTH-6',
    level: 'MUST',
    subject: 'server',
    source: 'Authentication',
    text: 'No other mechanism authenticates: not a query parameter, `x-api-key`, `api-key`, a cookie, or Basic.',
  },
  {
    id: 'AUTH-7',
    level: 'SHOULD',
    subject: 'server',
    source: 'Authentication',
    text: 'Authentication comes before everything else: without a key, a bad body, an unknown model, an unknown path and a wrong method under `/v1` are still a 401.',
  },
  {
    id: 'AUTH-8',
    level: 'MUST',
    subject: 'server',
    source: 'Authentication',
    text: 'Every key tried with a wrong value of the right shape (right prefix, one character changed, truncated, extended) is refused.',
  },

  // Keys
  {
    id: 'KEY-1',
    level: 'MUST',
    subject: 'dashboard',
    source: 'API key; States and transitions; Authentication 7–9',
    text: 'Every key starts with `svc_sk_`; the rest is unguessable (at least 128 bits from a cryptographic source).',
  },
  {
    id: 'KEY-2',
    level: 'MUST',
    subject: 'dashboard',
    source: 'API key; States and transitions; Authentication 7–9',
    text: 'The secret is shown once, at creation, and cannot be read again anywhere: not in a page, a log, a metric, the database (which holds a hash).',
  },
  {
    id: 'KEY-3',
    level: 'MUST',
    subject: 'server',
    source: 'API key; States and transitions; Authentication 7–9',
    text: 'Several keys are active at once; creating one disables none.',
  },
  {
    id: 'KEY-4',
    level: 'MUST',
    subject: 'server',
    source: 'API key; States and transitions; Authentication 7–9',
    text: 'Revocation acts at once: the first request after it gets 401 `invalid_api_key`. On several instances too.',
  },
  {
    id: 'KEY-5',
    level: 'MUST',
    subject: 'server',
    source: 'API key; States and transitions; Authentication 7–9',
    text: 'A revoked key never authenticates again.',
  },
  {
    id: 'KEY-6',
    level: 'MUST',
    subject: 'server',
    source: 'API key; States and transitions; Authentication 7–9',
    text: 'No API endpoint creates, lists or revokes keys. (Tried: `/v1/keys`, `/v1/api_keys`, `/v1/api-keys`, `/v1/organization/api_keys`.)',
  },
  {
    id: 'KEY-7',
    level: 'MUST',
    subject: 'server',
    source: 'API key; States and transitions; Authentication 7–9',
    text: 'Rotation without downtime: new key works beside the old one; under continuous traffic the switch loses no request; after the revocation only the old key gets 401.',
  },
  {
    id: 'KEY-8',
    level: 'MUST',
    subject: 'dashboard',
    source: 'API key; States and transitions; Authentication 7–9',
    text: 'During a rotation one can see which keys still carry traffic (last use, request count) before revoking.',
  },
  {
    id: 'KEY-9',
    level: 'SHOULD',
    subject: 'server',
    source: 'API key; States and transitions; Authentication 7–9',
    text: 'Keys are for servers only: the API sends no CORS header that would let a page in a browser call it.',
  },
  {
    id: 'KEY-10',
    level: 'MUST',
    subject: 'suite',
    source: 'API key; States and transitions; Authentication 7–9',
    text: 'Keys reach the suite through the environment or a file, never through a command line it prints, and appear in no report, transcript or log.',
  },

  // Models
  {
    id: 'MODEL-1',
    level: 'MUST',
    subject: 'server',
    source: 'Model; GET /v1/models',
    text: '`GET /v1/models` with a valid key: 200, JSON, and the valid model ids in `data[].id`, where every client library of the format looks.',
  },
  {
    id: 'MODEL-2',
    level: 'MUST',
    subject: 'server',
    source: 'Model; GET /v1/models',
    text: 'An unknown model in a chat request: 404, type `model_not_found`. The code is a string, its value open.',
  },
  {
    id: 'MODEL-3',
    level: 'MUST',
    subject: 'server',
    source: 'Model; GET /v1/models',
    text: 'A model that this key may not use: 404, type `model_not_found`.',
  },
  {
    id: 'MODEL-4',
    level: 'MUST',
    subject: 'server',
    source: 'Model; GET /v1/models',
    text: 'Each listed id (the first five are tried) is accepted by the chat endpoint for the key that listed it.',
  },
  {
    id: 'MODEL-5',
    level: 'MUST',
    subject: 'server',
    source: 'Model; GET /v1/models',
    text: 'Model ids are non-empty strings and are matched exactly (another case, a suffix or white space is another model: 404). For an empty id 404 and 400 are both right.',
  },
  {
    id: 'MODEL-6',
    level: 'SHOULD',
    subject: 'server',
    source: 'Model; GET /v1/models',
    text: 'That 404 does not differ from the one for an unknown model: type, code, fields, and the message but for the id. (A difference reveals which models exist.)',
  },

  // Chat
  {
    id: 'CHAT-1',
    level: 'MUST',
    subject: 'server',
    source: 'Chat message; Chat completion request and response; POST /v1/chat/completions',
    text: 'A valid request: 200, JSON, `choices` with at least one entry, each with `message.content` a string or null.',
  },
  {
    id: 'CHAT-2',
    level: 'MUST',
    subject: 'server',
    source: 'Chat message; Chat completion request and response; POST /v1/chat/completions',
    text: 'Roles `system` and `user` are accepted, `content` a string.',
  },
  {
    id: 'CHAT-3',
    level: 'MUST',
    subject: 'server',
    source: 'Chat message; Chat completion request and response; POST /v1/chat/completions',
    text: 'Malformed JSON (truncated, trailing comma, not an object, empty body): 400.',
  },
  {
    id: 'CHAT-4',
    level: 'MUST',
    subject: 'server',
    source: 'Chat message; Chat completion request and response; POST /v1/chat/completions',
    text: 'A missing `model`, `messages`, `messages[].role` or `messages[].content` (for system and user): 400, type and code `invalid_request_error`.',
  },
  {
    id: 'CHAT-5',
    level: 'MUST',
    subject: 'server',
    source: 'Chat message; Chat completion request and response; POST /v1/chat/completions',
    text: "A value of the wrong type (a string for `messages`, a number for `model`, an object for `content`): 400. The code of a 400 other than CHAT-4's may be any string.",
  },
  {
    id: 'CHAT-6',
    level: 'MUST',
    subject: 'server',
    source: 'Chat message; Chat completion request and response; POST /v1/chat/completions',
    text: 'A value out of its range: 400.',
  },
  {
    id: 'CHAT-7',
    level: 'MUST',
    subject: 'server',
    source: 'Chat message; Chat completion request and response; POST /v1/chat/completions',
    text: 'Success is 200 and no other 2xx.',
  },
  {
    id: 'CHAT-8',
    level: 'MUST',
    subject: 'server',
    source: 'Chat message; Chat completion request and response; POST /v1/chat/completions',
    text: 'Text survives unchanged in both directions: any well-formed Unicode, escapes, line ends, NUL, up to 64 KiB. (On a model that echoes. A lone surrogate is not text: refused, replaced or echoed, but never a 5xx.)',
  },
  {
    id: 'CHAT-9',
    level: 'MUST',
    subject: 'server',
    source: 'Chat message; Chat completion request and response; POST /v1/chat/completions',
    text: 'Every well-formed HTTP request is answered, whatever its body: no 5xx (503 for overload aside), no hang, no connection broken before the answer. Closing it after the answer, as on a body over the size limit, is right.',
  },

  // Errors
  {
    id: 'ERR-1',
    level: 'MUST',
    subject: 'server',
    source: 'Errors',
    text: 'Every failed request (HEAD has no body) has an HTTP error status and a JSON body `{"error":{"message","type","code"}}`, all three strings.',
  },
  {
    id: 'ERR-2',
    level: 'MUST',
    subject: 'server',
    source: 'Errors',
    text: 'One type per status: 400 `invalid_request_error`, 401 `authentication_error`, 404 `model_not_found`, 429 `rate_limit_error`, 500 `api_error`, 503 `service_unavailable`. A status outside the table may carry any type.',
  },
  {
    id: 'ERR-3',
    level: 'MUST',
    subject: 'server',
    source: 'Errors',
    text: '`message` is text for a person, not empty.',
  },
  {
    id: 'ERR-4',
    level: 'MUST',
    subject: 'server',
    source: 'Errors',
    text: 'No error carries a secret key, a stack trace or a path of the machine.',
  },
  {
    id: 'ERR-5',
    level: 'MUST',
    subject: 'server',
    source: 'Errors',
    text: 'An unknown path or a wrong method under `/v1` fails with the same envelope; where the status is in the table, with its type.',
  },
  {
    id: 'ERR-6',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'On any stream that carries an error after it has begun, the error is one `data:` record holding the envelope, and the stream then ends without `[DONE]`. (wire)',
  },
  {
    id: 'ERR-7',
    level: 'SHOULD',
    subject: 'server',
    source: 'Errors',
    text: 'Only the statuses of the table are used.',
  },
  {
    id: 'ERR-8',
    level: 'SHOULD',
    subject: 'server',
    source: 'Errors',
    text: "A 400 says which field is at fault (`param`, or the field's name in the message).",
  },

  // Limits
  {
    id: 'LIMIT-1',
    level: 'MUST',
    subject: 'server',
    source: 'Limits; Errors',
    text: 'Over the limit: 429, type `rate_limit_error`, code `rate_limit_exceeded`.',
  },
  {
    id: 'LIMIT-2',
    level: 'MUST',
    subject: 'server',
    source: 'Limits; Errors',
    text: 'A 429 has `Retry-After`.',
  },
  {
    id: 'LIMIT-3',
    level: 'SHOULD',
    subject: 'server',
    source: 'Limits; Errors',
    text: 'After waiting `Retry-After`, and a second of tolerance, the request is admitted, on a key without other traffic. (The scope of a limit is not shown: while this is judged nothing else is sent, with any key.)',
  },
  {
    id: 'LIMIT-4',
    level: 'SHOULD',
    subject: 'server',
    source: 'Limits; Errors',
    text: 'Under concurrent load no more is admitted than the limit allows, and every 429 keeps its form. (The limit is given to the judge or read from `x-ratelimit-limit-requests`; the bound allows what a window or bucket refills meanwhile.)',
  },
  {
    id: 'LIMIT-5',
    level: 'SHOULD',
    subject: 'server',
    source: 'Limits; Errors',
    text: "One key's traffic does not use up another key's limit.",
  },
  {
    id: 'LIMIT-6',
    level: 'SHOULD',
    subject: 'server',
    source: 'Limits; Errors',
    text: '`Retry-After` is at most 3600: seconds, not milliseconds.',
  },
  {
    id: 'LIMIT-7',
    level: 'SHOULD',
    subject: 'server',
    source: 'Limits; Errors',
    text: '`Retry-After` is a positive number of seconds: what the retry rules can read.',
  },

  // Retries
  {
    id: 'RETRY-1',
    level: 'MUST',
    subject: 'client',
    source: 'Errors, Retry rules',
    text: 'Of the statuses, only 429, 500 and 503 are retried. (What a client does after a network error is not judged.)',
  },
  {
    id: 'RETRY-2',
    level: 'MUST',
    subject: 'client',
    source: 'Errors, Retry rules',
    text: '400, 401 and 404 are not retried unchanged.',
  },
  {
    id: 'RETRY-3',
    level: 'MUST',
    subject: 'client',
    source: 'Errors, Retry rules',
    text: 'After a 429 with a positive `Retry-After` the wait is at least that many seconds.',
  },
  {
    id: 'RETRY-4',
    level: 'MUST',
    subject: 'client',
    source: 'Errors, Retry rules',
    text: 'Otherwise, and after 500 and 503, the wait before retry n (n from 0) is 1000 ms · 2^n plus jitter of 0 to 250 ms. (Judged with a tolerance for timers, stated in the report; a 503 with `Retry-After` is not judged.)',
  },
  {
    id: 'RETRY-5',
    level: 'MUST',
    subject: 'client',
    source: 'Errors, Retry rules',
    text: 'The number of attempts is bounded.',
  },
  {
    id: 'RETRY-6',
    level: 'SHOULD',
    subject: 'client',
    source: 'Errors, Retry rules',
    text: 'At most 5 attempts, the first included.',
  },
  {
    id: 'RETRY-7',
    level: 'MUST',
    subject: 'client',
    source: 'Errors, Retry rules',
    text: 'The total wait is bounded: if the service requests a wait of a day (`Retry-After: 86400`), the client gives up.',
  },
  {
    id: 'RETRY-8',
    level: 'MUST',
    subject: 'client',
    source: 'Errors, Retry rules',
    text: 'Control flow depends on status and `code`, never on `message`.',
  },
  {
    id: 'RETRY-9',
    level: 'SHOULD',
    subject: 'client',
    source: 'Errors, Retry rules',
    text: 'Under continual 429s concurrency or the request rate falls.',
  },
  {
    id: 'RETRY-10',
    level: 'MUST',
    subject: 'client',
    source: 'Errors, Retry rules',
    text: 'An unparsable, zero, negative or absent `Retry-After` falls back to exponential backoff.',
  },

  // Requests of a client
  {
    id: 'CALL-1',
    level: 'MUST',
    subject: 'client',
    source: 'What the service does; Authentication; Endpoints',
    text: 'Every request carries `Authorization: Bearer <key>`: that word, one space, the key as it was given, without quotes or white space; once.',
  },
  {
    id: 'CALL-2',
    level: 'MUST',
    subject: 'client',
    source: 'What the service does; Authentication; Endpoints',
    text: 'The key goes nowhere else: not into an address, a body, another header, the output, or to another host that an answer redirects to.',
  },
  {
    id: 'CALL-3',
    level: 'MUST',
    subject: 'client',
    source: 'What the service does; Authentication; Endpoints',
    text: '`POST {base}/v1/chat/completions` whatever the base address looks like (a path of its own, a slash at its end), `Content-Type: application/json`, a body that is one JSON object in UTF-8.',
  },
  {
    id: 'CALL-4',
    level: 'MUST',
    subject: 'client',
    source: 'What the service does; Authentication; Endpoints',
    text: 'The body has the requested `model` and `messages`, text unchanged (any Unicode, line ends, quotes).',
  },
  {
    id: 'CALL-5',
    level: 'SHOULD',
    subject: 'client',
    source: 'What the service does; Authentication; Endpoints',
    text: 'A retry sends the same body as the attempt before.',
  },

  // How a client reads
  {
    id: 'READ-1',
    level: 'MUST',
    subject: 'client',
    source: 'Errors; Resources; wire',
    text: 'Any status other than 200 is a failure and reported as one (the exit code of the program); its body is never presented as an answer.',
  },
  {
    id: 'READ-2',
    level: 'MUST',
    subject: 'client',
    source: 'Errors; Resources; wire',
    text: 'A `content` that is null, with calls or without, breaks nothing.',
  },
  {
    id: 'READ-3',
    level: 'MUST',
    subject: 'client',
    source: 'Errors; Resources; wire',
    text: 'Unknown members of an answer, a choice, a message, a chunk or a delta are ignored.',
  },
  {
    id: 'READ-4',
    level: 'MUST',
    subject: 'client',
    source: 'Errors; Resources; wire',
    text: 'An error whose body is empty, HTML or another JSON is a failure by its status, retried or not by its status.',
  },
  {
    id: 'READ-5',
    level: 'MUST',
    subject: 'client',
    source: 'Errors; Resources; wire',
    text: "A stream's text is its deltas in order, however its bytes come: split inside a record or a character, many records in one piece, comments, CRLF, no space after the colon.",
  },
  {
    id: 'READ-6',
    level: 'MUST',
    subject: 'client',
    source: 'Errors; Resources; wire',
    text: "A chunk without choices (usage, a filter's report) breaks nothing and adds nothing.",
  },
  {
    id: 'READ-7',
    level: 'MUST',
    subject: 'client',
    source: 'Errors; Resources; wire',
    text: 'A record with `error` within a stream is a failure, not an end.',
  },
  {
    id: 'READ-8',
    level: 'SHOULD',
    subject: 'client',
    source: 'Errors; Resources; wire',
    text: 'A stream that ends without `finish_reason` and without `[DONE]` is a failure, not a complete answer.',
  },
  {
    id: 'READ-9',
    level: 'MUST',
    subject: 'client',
    source: 'Errors; Resources; wire',
    text: 'Tool calls are joined by their `index`, even if fragments of several interleave.',
  },
  {
    id: 'READ-10',
    level: 'SHOULD',
    subject: 'client',
    source: 'Errors; Resources; wire',
    text: 'A `finish_reason` it does not know breaks nothing.',
  },
  {
    id: 'READ-11',
    level: 'SHOULD',
    subject: 'client',
    source: 'Errors; Resources; wire',
    text: 'A client that is stopped closes its connection.',
  },

  // Versioning
  {
    id: 'VERS-1',
    level: 'SHOULD',
    subject: 'server',
    source: 'Versioning',
    text: 'Every path starts with `/v1`; the same path without it never gives a completion, an event stream or a model list. (An alias is forbidden by no sentence.)',
  },
  {
    id: 'VERS-2',
    level: 'MAY',
    subject: 'server',
    source: 'Versioning',
    text: 'A model id carries a version-like label (`svc-0.1-8b`).',
  },

  // Wire format
  {
    id: 'WIRE-1',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'A completion has `id` (non-empty string), `object` = `chat.completion`, `created` (integer seconds, within a day of now), `model`, `choices`.',
  },
  {
    id: 'WIRE-2',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'Each choice has `index` (0…n−1, each once), `message.role` = `assistant`, `finish_reason` from the closed set, `logprobs` an object, null or absent.',
  },
  {
    id: 'WIRE-3',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: '`usage`, where present, plain or streamed, has three integer counts and `total = prompt + completion`; counts in its details are integers from 0.',
  },
  {
    id: 'WIRE-4',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'Ids differ between responses.',
  },
  {
    id: 'WIRE-5',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'Content type `application/json` on JSON answers.',
  },
  {
    id: 'WIRE-6',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: '`n` choices are returned if requested.',
  },
  {
    id: 'WIRE-7',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: '`max_tokens` / `max_completion_tokens` bound the output and a cut answer ends with `length` (output of exactly that many tokens may end with either).',
  },
  {
    id: 'WIRE-8',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: '`stop` (string, or 1 to 4 strings) ends the text before the stop string, which is not returned; `finish_reason` is `stop`. (An empty string or an empty list is not judged.)',
  },
  {
    id: 'WIRE-9',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'Every message form of the format is accepted: system, user, assistant (text, null or absent content with tool calls), tool; content as a string and as text parts, all of them read. The roles developer and function, `name`, refusal parts and media are capabilities.',
  },
  {
    id: 'WIRE-10',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'Documented ranges and enums are enforced with 400: temperature 0–2, top_p 0–1, penalties −2–2, n 1–128, top_logprobs 0–20, logit_bias −100–100, stop ≤ 4, metadata 16/64/512, tools ≤ 128, names `[A-Za-z0-9_-]{1,64}`, at least one message, token limits not negative (0 is not judged), integers if the field is an integer (1.0 is one). The bounds themselves are in range: if a value other than the default is accepted, refusing another value of its range is a failure, even by name (if only the default is accepted, the field is not offered). Not judged: null in a field that is not nullable, a dot in a name, `tool_choice: "none"` without tools.',
  },
  {
    id: 'WIRE-11',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: "Cross-field rules give 400: `top_logprobs` without `logprobs`, `stream_options` without `stream`, `tool_choice` without `tools` or naming an absent tool, a tool message that answers no call, an assistant message with neither content nor calls. (An assistant's call left unanswered may be refused or accepted.)",
  },
  {
    id: 'WIRE-12',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'A known field that the server does not support is refused with 400 and named, never silently ignored; judged on fields whose effect can be seen (`n`, `stop`, token limits, `response_format`, `tools`, `logprobs`, `stream_options`, media parts). Unknown members inside a message of the history may be accepted: clients replay what they were sent.',
  },
  {
    id: 'WIRE-13',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: '`null` for a nullable optional field means the same as leaving it out.',
  },
  {
    id: 'WIRE-14',
    level: 'SHOULD',
    subject: 'server',
    source: 'wire',
    text: 'Same request, same `seed`, temperature 0: same text.',
  },
  {
    id: 'WIRE-15',
    level: 'SHOULD',
    subject: 'server',
    source: 'wire',
    text: '`GET /v1/models`: `object` = `list`, `data[]` of `{id, object: "model", created: integer, owned_by: string}`.',
  },
  {
    id: 'WIRE-16',
    level: 'SHOULD',
    subject: 'server',
    source: 'wire',
    text: '`GET /v1/models/{id}` returns that record, percent-encoded ids included; an unknown id is a 404.',
  },
  {
    id: 'WIRE-17',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: '`response_format` `json_object`: the content parses as a JSON object. (The prompt says "JSON": a service may demand that.)',
  },
  {
    id: 'WIRE-18',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: '`response_format` `json_schema` with `strict`: the content validates against the schema.',
  },
  {
    id: 'WIRE-19',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: '`logprobs`: one entry per token with token, logprob ≤ 0, `bytes` (integers or null), `top_logprobs` of at most the asked length in falling order; the bytes joined (the tokens, where bytes are null) are the content.',
  },
  {
    id: 'WIRE-20',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: '`logit_bias` acts: −100 on a token removes it. (Needs a token id of a known text: documented for the reference server, otherwise given to the judge; without one only the range is judged.)',
  },
  {
    id: 'WIRE-21',
    level: 'SHOULD',
    subject: 'server',
    source: 'wire',
    text: '`x-request-id` on every answer, different each time.',
  },
  {
    id: 'WIRE-22',
    level: 'SHOULD',
    subject: 'server',
    source: 'wire',
    text: '`usage` is present on every completion that is not streamed.',
  },
  {
    id: 'WIRE-23',
    level: 'SHOULD',
    subject: 'server',
    source: 'wire',
    text: 'An unknown top-level field is refused with 400 and named.',
  },
  {
    id: 'WIRE-24',
    level: 'SHOULD',
    subject: 'server',
    source: 'wire',
    text: "An answer's message sent back as history, as the official libraries do it (`tool_calls`, `refusal`, `audio`, `function_call` null, `annotations` empty, what `.parse()` adds left out), is accepted.",
  },
  {
    id: 'WIRE-25',
    level: 'SHOULD',
    subject: 'server',
    source: 'wire',
    text: 'Where `service_tier` is taken, the answer says which one served it.',
  },

  // Streaming
  {
    id: 'STREAM-1',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: '`stream: true`: 200, `text/event-stream`, records `data: <json>` each ended by a blank line, the last one included. Everything that the event-stream standard allows is accepted: comments, CRLF, no space after the colon.',
  },
  {
    id: 'STREAM-2',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'The stream ends with `data: [DONE]`, once, and nothing follows (comments aside; the connection may stay open).',
  },
  {
    id: 'STREAM-3',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'Every chunk has `object` = `chat.completion.chunk` and the same `id`, `created`, `model`.',
  },
  {
    id: 'STREAM-4',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'The first delta of each choice carries `role: "assistant"`, and no later one does.',
  },
  {
    id: 'STREAM-5',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: "`finish_reason` is null or absent until the choice's last delta, then set exactly once from the closed set; no delta for the choice follows.",
  },
  {
    id: 'STREAM-6',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'Streamed and plain agree on the same request to a deterministic model: text, finish reason, refusal, and usage where both give it; no chunk splits a character.',
  },
  {
    id: 'STREAM-7',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: '`include_usage`: one last chunk with empty `choices` and `usage`; `usage` null or absent on the others. Without it no usage chunk.',
  },
  {
    id: 'STREAM-8',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: "With `n` > 1 every choice's deltas carry its index and each choice is complete: on a model that echoes, its text too.",
  },
  {
    id: 'STREAM-9',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'No `error` key on a good chunk, no event without data; keep-alives are comments.',
  },
  {
    id: 'STREAM-10',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'Errors known before the first token (400, 401, 404, 429) are plain JSON answers with their status, also with `stream: true`.',
  },
  {
    id: 'STREAM-11',
    level: 'SHOULD',
    subject: 'server',
    source: 'wire',
    text: 'Deltas arrive as they are produced, not in one piece at the end. (Not applicable to a model that answers at once.)',
  },
  {
    id: 'STREAM-12',
    level: 'SHOULD',
    subject: 'server',
    source: 'wire',
    text: 'A client that disconnects stops the work.',
  },
  {
    id: 'STREAM-13',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'Invalid bodies with `stream: true` are judged as without it.',
  },

  // Tool calls
  {
    id: 'TOOL-1',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'A call has `id` (unique within the answer), `type` = `function`, `function.name` among the tools offered, `function.arguments` a string that parses as JSON (only a warning where `strict` is not set: the format promises no more).',
  },
  {
    id: 'TOOL-2',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: '`content` is there beside calls, null or a string; `finish_reason` is `tool_calls` (where `tool_choice` demanded a call, `stop` is allowed too).',
  },
  {
    id: 'TOOL-3',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: '`tool_choice`: `required` gives at least one call, a named function at least one call and only of that function, `none` no call.',
  },
  {
    id: 'TOOL-4',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: "Arguments validate against the tool's parameters when `strict` is set.",
  },
  {
    id: 'TOOL-5',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'Streamed: first fragment `{index, id, type, function: {name, arguments}}`, later ones only `{index, function: {arguments}}`; indexes count from 0; fragments joined equal the non-streamed arguments.',
  },
  {
    id: 'TOOL-6',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'A full round trip works: call, tool message with that `tool_call_id`, final answer.',
  },
  {
    id: 'TOOL-7',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: '`parallel_tool_calls: false` gives at most one call.',
  },

  // Client libraries
  {
    id: 'SDK-1',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'The official `openai` library works unchanged with base address, key and model set: create, stream, `.stream()` helper, `.parse()`, `.runTools()`, models list and retrieve, error classes per status, abort.',
  },
  {
    id: 'SDK-2',
    level: 'MUST',
    subject: 'server',
    source: 'wire',
    text: 'Many asynchronous calls in flight on one client each get their own answer.',
  },
] as const satisfies readonly Requirement[]

/** The id of a row, such as `AUTH-3`. */
export type RequirementId = (typeof rows)[number]['id']

/** The whole catalogue, in reading order. */
export const requirements: readonly (Requirement & { readonly id: RequirementId })[] = rows

const byId = new Map<string, Requirement & { readonly id: RequirementId }>(
  requirements.map((row) => [row.id, row]),
)

/** The row with this id; throws `RangeError` if there is none. */
export function requirement(id: RequirementId): Requirement & { readonly id: RequirementId } {
  const row = byId.get(id)
  if (row === undefined) throw new RangeError(`no requirement has the id ${id}`)
  return row
}

/** Whether `id` names a row of the catalogue. */
export function isRequirementId(id: string): id is RequirementId {
  return byId.has(id)
}
