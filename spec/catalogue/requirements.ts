// The requirement catalogue: every sentence of the specification, and every rule of the wire format that it
// adopts, as one numbered row. Ids are stable: a row is never renumbered, a new one takes the next free number.
// Whole, because it is read beside the specification from top to bottom.

/** MUST fails a run, SHOULD warns (and fails under `--strict`), MAY is reported only. */
export type Level = 'MUST' | 'SHOULD' | 'MAY'

/** The subject of a row: a service, a program that calls one, a gateway between them, this project's key page, or its own judge. */
export type Subject = 'server' | 'client' | 'gateway' | 'dashboard' | 'suite'

/** `interop`: a valid request works, and its answer can be read; `strict`: invalid requests are refused properly, and formalities. */
export const TIERS = ['interop', 'strict'] as const
export type Tier = (typeof TIERS)[number]

/** `service` has all rows, `wire` those of the chat completions format alone. */
type Profile = 'service' | 'wire'

/**
 * The faults below HTTP that break a row itself, because it requires the opposite. For every other row the check is repeated, and
 * then inconclusive. `answer`: there is any answer; `connection`: it does not break; `time`: the answer is in time;
 * `framing`: it is framed as HTTP allows; `end`: it is complete, as it is if the connection does not break.
 */
type Fault = 'answer' | 'connection' | 'time' | 'framing' | 'end'

/** One row of the catalogue. `source` is a section of the specification, `wire` for the format itself, or `gateways` for rules beyond both. */
export interface Requirement {
  readonly id: string
  readonly level: Level
  /** The level in profile `wire`, if it is lower there. */
  readonly wireLevel?: Level
  readonly subject: Subject
  readonly source: string
  /** The profiles whose runs judge it. */
  readonly profiles: readonly Profile[]
  /** Rows that judge servers have one, because most deployments hold what a client library needs, and accept what they should refuse. */
  readonly tier: Tier | undefined
  readonly brokenBy?: readonly Fault[]
  /** It is about the header `Authorization` itself: not applicable if a target has its key in another header. */
  readonly isOfAuthorization?: true
  /** The requirement; the part in parentheses says which other answers are accepted. */
  readonly text: string
}

/** The level and the text of a row, and `strict` before the text if a row of servers is not of tier `interop`. */
type Rule = `${Level}${'' | ' strict'}: ${string}`

/** Rows by id, in the order of their numbers: the rule, or the rule and how the row differs from its section. */
interface Section extends Pick<Requirement, 'source' | 'subject'> {
  /** The format has its rows, although the specification states them. */
  readonly isOfFormat?: true
  readonly rows: Readonly<Record<string, Rule | Exception>>
}

type Exception = { readonly rule: Rule } & Partial<
  Pick<Requirement, 'source' | 'subject' | 'wireLevel' | 'brokenBy' | 'isOfAuthorization'>
>

/** Changes with each release that changes the level, subject or text of a row; reports carry it. */
export const CATALOGUE_VERSION = '2'

const sections = [
  // Authentication
  {
    source: 'Authentication',
    subject: 'server',
    rows: {
      'AUTH-1':
        'MUST: Every endpoint of the service under `/v1` demands a key: a well-formed request without a valid one gets 401 and nothing else happens.',
      'AUTH-2': {
        isOfAuthorization: true,
        rule: 'MUST strict: The only accepted form is `Authorization: Bearer <key>`: the word `Bearer` in that spelling, exactly one space, then the key. Another scheme, another case, two spaces, a tab, a quoted key or a bare key gives 401, type `authentication_error`. Two `Authorization` lines are not a valid form either: 401 or 400, never 200. (If no key follows `Bearer`, either code is right. White space at the end of the value is stripped by HTTP itself, RFC 9110 5.5, and not judged.)',
      },
      'AUTH-3': {
        isOfAuthorization: true,
        rule: 'MUST: No `Authorization` header: 401, type `authentication_error`, code `missing_api_key`.',
      },
      'AUTH-4':
        'MUST strict: A malformed, wrong or revoked key: 401, type `authentication_error`, code `invalid_api_key`. (`Authorization: Bearer` with nothing behind it may be judged missing or malformed.)',
      'AUTH-5': 'MUST: One header works for every endpoint.',
      'AUTH-6': {
        isOfAuthorization: true,
        rule: 'MUST strict: No other mechanism authenticates: not a query parameter, `x-api-key`, `api-key`, a cookie, or Basic. Tried without an `Authorization` header and beside a wrong one.',
      },
      'AUTH-7':
        'SHOULD strict: Authentication comes before everything else: without a key, a bad body, an unknown model, an unknown path and a wrong method under `/v1` are still a 401.',
      'AUTH-8':
        'MUST strict: Every key tried with a wrong value of the right shape (right prefix, one character changed, truncated, extended) is refused.',
    },
  },
  // Keys
  {
    source: 'API key; States and transitions; Authentication 7–9',
    subject: 'server',
    rows: {
      'KEY-1': {
        subject: 'dashboard',
        rule: 'MUST: Every key starts with `svc_sk_`; the rest is unguessable (at least 128 bits from a cryptographic source).',
      },
      'KEY-2': {
        subject: 'dashboard',
        rule: 'MUST: The secret is shown once, at creation, and cannot be read again anywhere: not in a page, a log, a metric, the database (which holds a hash).',
      },
      'KEY-3': 'MUST: Several keys are active at once; creating one disables none.',
      'KEY-4':
        'MUST: Revocation acts at once: the first request after it gets 401 `invalid_api_key`. On several instances too.',
      'KEY-5':
        'MUST: A revoked key never authenticates again: also seconds later, on every endpoint, and on many connections at once.',
      'KEY-6':
        'MUST strict: No API endpoint creates, lists or revokes keys. (Tried: `/v1/keys`, `/v1/api_keys`, `/v1/api-keys`, `/v1/organization/api_keys`. Only 401, 404, 405 and 501 show that an endpoint is absent; a 400 shows that something reads the body.)',
      'KEY-7': {
        brokenBy: ['connection'],
        rule: 'MUST: Rotation without downtime: new key works beside the old one; under continuous traffic the switch loses no request; after the revocation only the old key gets 401.',
      },
      'KEY-8': {
        subject: 'dashboard',
        rule: 'MUST: During a rotation one can see which keys still carry traffic (last use, request count) before revoking.',
      },
      'KEY-9':
        'MAY strict: Keys are for servers only: the API sends no CORS header that would let a page in a browser call it. (The sentence binds callers; reported only.)',
      'KEY-10': {
        subject: 'suite',
        rule: 'MUST: Keys reach the suite through the environment or a file, never through a command line it prints, and appear in no report, transcript or log.',
      },
      'KEY-11':
        'MUST strict: Keys that the service issues start with `svc_sk_`. (Judged without a request, on the keys that the judge was given or that its key command created. Their values are never printed.)',
      'KEY-12': {
        subject: 'dashboard',
        rule: 'MUST: Keys are created, revoked and deleted in the dashboard. A deleted key disappears from the list and is refused like a revoked one (`invalid_api_key`), for good.',
      },
    },
  },
  // Models
  {
    source: 'Model; GET /v1/models',
    subject: 'server',
    rows: {
      'MODEL-1':
        'MUST: `GET /v1/models` with a valid key: 200, JSON, and the valid model ids in `data[].id`, where every client library of the format looks.',
      'MODEL-2':
        'MUST strict: An unknown model in a chat request: 404, type `model_not_found`. The code is a string, its value open.',
      'MODEL-3': 'MUST strict: A model that this key may not use: 404, type `model_not_found`.',
      'MODEL-4':
        'MUST: Each listed id (the first five are tried) is accepted by the chat endpoint for the key that listed it.',
      'MODEL-5':
        'MUST strict: Listed model ids are non-empty strings, and an id with something added to it is an unknown model (404). For an empty id 404 and 400 are both right.',
      'MODEL-6':
        'SHOULD strict: That 404 does not differ from the one for an unknown model: type, code, fields, and the message but for the id. (A difference reveals which models exist.)',
      'MODEL-7':
        'SHOULD strict: Ids are matched exactly: another case, or white space around the id, is an unknown model.',
      'MODEL-8': {
        source: 'wire',
        rule: 'SHOULD strict: Profile `wire`: an unknown model is refused with 404 or 400 and is never answered by another model.',
      },
    },
  },
  // Chat
  {
    source: 'Chat message; Chat completion request and response; POST /v1/chat/completions',
    subject: 'server',
    isOfFormat: true,
    rows: {
      'CHAT-1':
        'MUST: A valid request: 200, JSON, `choices` with at least one entry, each with `message.content` a string or null. (Holds for every valid request of the run, whatever its fields: a 200 whose body is empty, HTML, cut or not JSON, for example with a bare `NaN` or `-Infinity`, fails this row, live and recorded. No other check passes on an answer that it could not read. A page that answers a streamed request fails STREAM-1 instead.)',
      'CHAT-2': 'MUST: Roles `system` and `user` are accepted, `content` a string.',
      'CHAT-3': 'MUST strict: Malformed JSON (truncated, trailing comma, not an object, empty body): 400.',
      'CHAT-4':
        'MUST strict: A missing `model`, `messages`, `messages[].role` or `messages[].content` (for system and user): 400, type and code `invalid_request_error`.',
      'CHAT-5':
        "MUST strict: A value of the wrong type (a string for `messages`, a number for `model`, an object for `content`): 400. The code of a 400 other than CHAT-4's may be any string.",
      'CHAT-6': 'MUST strict: A value out of its range: 400.',
      'CHAT-7': 'MUST: Success is 200 and no other 2xx.',
      'CHAT-8':
        'MUST: Text survives unchanged in both directions: any well-formed Unicode, escapes, line ends, NUL, up to 64 KiB. (On a model that echoes. The specification names no size: a long text may be refused with a 400 or 413, and a shorter one is judged instead. A lone surrogate may be refused, replaced or echoed, but never causes a 5xx.)',
      'CHAT-9': {
        brokenBy: ['connection', 'time'],
        rule: 'MUST: Every well-formed HTTP request is answered, whatever its body: no 5xx (503 for overload and 501 for a method aside), no hang, no connection broken before the answer. Closing it after the answer, as on a body over the size limit, is right. (A 5xx from a proxy in front of the service counts too, live and recorded, with or without an error object.)',
      },
      'CHAT-10': {
        brokenBy: ['answer'],
        rule: 'MUST: A valid request succeeds in every HTTP framing that existing client libraries use: `Content-Type: application/json; charset=utf-8`, a chunked body, `Expect: 100-continue`, `Upgrade: h2c` with its settings header, no `Accept` header, a connection reused after some idle seconds.',
      },
    },
  },
  // Errors
  {
    source: 'Errors',
    subject: 'server',
    rows: {
      'ERR-1':
        'MUST: Every failed request (HEAD has no body) has an HTTP error status and a JSON body `{"error":{"message","type","code"}}`, all three strings.',
      'ERR-2':
        'MUST strict: One type per status: 400 `invalid_request_error`, 401 `authentication_error`, 404 `model_not_found`, 429 `rate_limit_error`, 500 `api_error`, 503 `service_unavailable`. A status outside the table may carry any type, but always the same one.',
      'ERR-3': 'MUST: `message` is text for a person, not empty.',
      'ERR-4':
        'MUST: No error carries a secret key, whole or in a part that identifies it (more than the prefix and the last four characters).',
      'ERR-5':
        'MUST strict: An unknown path or a wrong method under `/v1` fails with the same envelope; where the status is in the table, with its type.',
      'ERR-6': {
        source: 'wire',
        rule: 'MUST: On any stream that carries an error after it has begun, the error is one `data:` record holding the envelope, and the stream then ends (a `[DONE]` after it only warns: some deployments send it always). (wire. If the target takes fault requests, as the reference server does with `FAULTS=on`, the judge requests such a stream, and a 500 and a 503; otherwise it judges those that occur.)',
      },
      'ERR-7': 'SHOULD strict: Only the statuses of the table are used.',
      'ERR-8':
        "SHOULD strict: A 400 says which field is at fault (`param`, or the field's name in the message).",
      'ERR-9': 'SHOULD strict: No error carries a stack trace or a file path of the machine.',
    },
  },
  // Limits
  {
    source: 'Limits; Errors',
    subject: 'server',
    rows: {
      'LIMIT-1': 'MUST: Over the limit: 429, type `rate_limit_error`, code `rate_limit_exceeded`.',
      'LIMIT-2': 'MUST: A 429 has `Retry-After`.',
      'LIMIT-3':
        'SHOULD: After waiting `Retry-After`, and a second of tolerance, the request is admitted, on a key without other traffic. (The scope of a limit is not shown: while this is judged nothing else is sent, with any key.)',
      'LIMIT-4':
        'SHOULD strict: Under concurrent load no more is admitted than the limit allows, and every 429 keeps its form. (The limit is given to the judge or read from `x-ratelimit-limit-requests`; the bound allows what a window or bucket refills meanwhile.)',
      'LIMIT-5': "MAY strict: One key's traffic does not use up another key's limit.",
      'LIMIT-6': 'MAY strict: `Retry-After` is at most a day (86 400): more is probably milliseconds.',
      'LIMIT-7': 'SHOULD: `Retry-After` is a positive number of seconds: what the retry rules can read.',
    },
  },
  // Retries
  {
    source: 'Errors, Retry rules',
    subject: 'client',
    rows: {
      'RETRY-1':
        'MUST: Of the statuses, only 429, 500 and 503 are retried. (What a client does after a network error is not judged.)',
      'RETRY-2': 'MUST: 400, 401 and 404 are not retried unchanged.',
      'RETRY-3': 'MUST: After a 429 with a positive `Retry-After` the wait is at least that many seconds.',
      'RETRY-4':
        'MUST: Otherwise, and after 500 and 503, the wait before retry n (n from 0) is 1000 ms · 2^n plus jitter of 0 to 250 ms. (Judged with a tolerance for timers, stated in the report. A 503 with `Retry-After` is not judged: the specification says back-off, RFC 9110 gives the header a meaning there, and a client may keep either.)',
      'RETRY-5':
        'MUST: The number of attempts is bounded, for each of 429, 500 and 503, for a failed connection and for a stream that breaks.',
      'RETRY-6': 'SHOULD: At most 5 attempts, the first included.',
      'RETRY-7':
        'MUST: The total wait is bounded: if the service requests a wait of a day (`Retry-After: 86400`), the client gives up.',
      'RETRY-8':
        'MUST: Control flow depends on the status, then on `code`, never on `message`: neither a message that contradicts the status nor one without the usual words (for example a 429 that does not say "rate limit") changes what the client does.',
      'RETRY-9':
        'SHOULD: Under continual 429s concurrency or the request rate falls; a rate that stays the same warns.',
      'RETRY-10':
        'MUST: An unparsable, zero, negative, fractional or absent `Retry-After`, or a date, falls back to exponential backoff. (A fraction and a date in the future may also be obeyed, the fraction rounded up; RETRY-3 does not judge them. A date that is not in the future means backoff, or no wait if the client reads it as a wait of 0. A client that ends or crashes at such a value, and retries another 429, fails this row.)',
      'RETRY-11': 'SHOULD: The back-off has random jitter: several waits of the same step are not all equal.',
    },
  },
  // Requests of a client
  {
    source: 'What the service does; Authentication; Endpoints',
    subject: 'client',
    rows: {
      'CALL-1':
        'MUST: Every request carries `Authorization: Bearer <key>`: that word, one space, the key as it was given, without quotes or white space; once.',
      'CALL-2':
        'MUST: The key goes nowhere else: not into an address, a body, another header, the output, or to another host that an answer redirects to.',
      'CALL-3':
        'MUST: `POST {base}/v1/chat/completions` whatever the base address looks like (a path of its own, a slash at its end), `Content-Type: application/json`, a body that is one JSON object in UTF-8. (A request to the right host at another path is a failure of this row, not a missing request.)',
      'CALL-4':
        'MUST: The body has the requested `model` and `messages`, text unchanged (any Unicode, line ends, quotes).',
      'CALL-5':
        'SHOULD: A retry sends the same body as the attempt before. (Not judged in recordings, which recognise attempts by their equal bodies.)',
      'CALL-6':
        'SHOULD: A conversation continues with what was received: the assistant message goes back with its calls, their ids and arguments unchanged, and with every further member of the message and of its calls (`reasoning_content`, `extra_content`), since some services refuse the next turn without them.',
      'CALL-7':
        'SHOULD: A request is one that the format allows: no empty `tools`, no `tool_choice` or `parallel_tool_calls` without `tools`, no `stream_options` without `stream`, not both token bounds, and every member of the type and range that the format gives. (A member that the scenario itself asks the program to send is not judged.)',
    },
  },
  // How a client reads
  {
    source: 'Errors; Resources; wire',
    subject: 'client',
    rows: {
      'READ-1':
        'MUST: Any status other than 200 is a failure and reported as one (the exit code of the program); its body is never presented as an answer.',
      'READ-2':
        'MUST: A `content` that is null, with calls or without, breaks nothing; nor does a null or absent member that a service may leave out (`usage`, `refusal`, `logprobs`, `system_fingerprint`, and `id`, `type`, `name` of a later fragment).',
      'READ-3': 'MUST: Unknown members of an answer, a choice, a message, a chunk or a delta are ignored.',
      'READ-4':
        'MUST: An error whose body is empty, HTML or another JSON is a failure by its status, retried or not by its status.',
      'READ-5':
        "MUST: A stream's text is its deltas in order, however its bytes come: split inside a record or a character, many records in one piece, comments, CRLF, no space after the colon, `text/event-stream; charset=utf-8`, lines of 1 MB, `\\u` escapes with surrogates, empty deltas, two equal deltas in a row; compressed if the client requested it.",
      'READ-6': "MUST: A chunk without choices (usage, a filter's report) breaks nothing and adds nothing.",
      'READ-7': 'MUST: A record with `error` within a stream is a failure, not an end.',
      'READ-8':
        'SHOULD: A stream that ends without `finish_reason` and without `[DONE]` is a failure, not a complete answer.',
      'READ-9': 'MUST: Tool calls are joined by their `index`, even if fragments of several interleave.',
      'READ-10': 'SHOULD: A `finish_reason` it does not know breaks nothing.',
      'READ-11': 'SHOULD: A client that is stopped closes its connection.',
      'READ-12':
        'SHOULD: The arguments of a call are read as an object: `""` and absent arguments mean `{}`. A call whose arguments are cut (`finish_reason` `length`) is never executed as if it were complete: the client ends with an error, or returns the answer with its `finish_reason`, and sends no result of that call.',
      'READ-13':
        'MUST: A plain answer is read however HTTP delivers it: with a length or chunked, in pieces, compressed if the client requested it, with a charset in its type, after `103` or other interim answers.',
      'READ-15':
        'MUST: A 200 without a completion is a failure, and not an empty answer: an object with `error` and without choices, `choices: []` in a plain answer, or JSON of another kind; streamed: no choice in any chunk.',
      'READ-16':
        'SHOULD: A stream that continues is read to its end: while a delta comes at least each second, no limit on the whole time ends the stream before 90 seconds. (Not in a quick run.)',
    },
  },
  // Versioning
  {
    source: 'Versioning',
    subject: 'server',
    rows: {
      'VERS-1':
        'SHOULD strict: Every path starts with `/v1`; the same path without it never gives a completion, an event stream or a model list. (An alias is forbidden by no sentence.)',
      'VERS-2':
        'SHOULD strict: Each listed model id carries a version-like label (`svc-0.1-8b`). (Profile `service`.)',
    },
  },
  // Wire format
  {
    source: 'wire',
    subject: 'server',
    rows: {
      'WIRE-1':
        'MUST: A completion has `id` (non-empty string), `object` = `chat.completion`, `created` (integer seconds, within a day of now), `model`, `choices`.',
      'WIRE-2':
        'MUST: Each choice has `index` (0…n−1, each once), `message.role` = `assistant`, `finish_reason` from the closed set, `logprobs` an object, null or absent. Optional members, where present, have their type, in messages and deltas, completions and chunks: `refusal` a string or null, `annotations` a list, `audio` and `function_call` an object or null; `system_fingerprint` and `service_tier` a string or null. (`refusal: ""` means no refusal.)',
      'WIRE-3':
        'MUST: `usage`, where present, plain or streamed, has three integer counts and `total = prompt + completion`; counts in its details are integers from 0. If there is text, `prompt_tokens` and `completion_tokens` are above 0, and all `n` choices are counted. `cached_tokens` and `audio_tokens` are at most `prompt_tokens`, `reasoning_tokens` at most `completion_tokens` (a warning).',
      'WIRE-4': 'MUST: Ids differ between responses.',
      'WIRE-5': 'MUST: Content type `application/json` on JSON answers.',
      'WIRE-6': 'MUST: `n` choices are returned if requested.',
      'WIRE-7':
        'MUST: `max_tokens` / `max_completion_tokens` bound the output and a cut answer ends with `length` (output of exactly that many tokens may end with either). A tool call that the bound cuts ends with `length` too, never with `tool_calls` or `stop`, plain and streamed.',
      'WIRE-8':
        'MUST: `stop` (string, or 1 to 4 strings) ends the text before the stop string, which is not returned; `finish_reason` is `stop`. (An empty string or an empty list is not judged.)',
      'WIRE-9':
        'MUST: Every message form of the format is accepted: system, user, assistant (text, null or absent content with tool calls), tool; content as a string (also "" beside calls, and as the result of a tool) and as text parts. Every message and part is read, in each position, also a last assistant message in parts: if `usage` is given, adding a message or a part raises `prompt_tokens`. The roles developer and function, `name`, refusal parts and media are capabilities; a 400 that speaks of images, audio, files or modalities refuses them by name.',
      'WIRE-10':
        'MUST strict: Documented ranges and enums are enforced with 400: temperature 0–2, top_p 0–1, penalties −2–2, n 1–128, top_logprobs 0–20, logit_bias −100–100, stop ≤ 4, metadata 16/64/512, tools ≤ 128, names `[A-Za-z0-9_-]{1,64}`, at least one message, token limits not negative (0 is not judged), integers if the field is an integer (1.0 may be accepted or refused). The bounds themselves are in range: if a value other than the default is accepted, refusing another value of its range is a failure, even by name (if only the default is accepted, the field is not offered). Not judged: null in a field that is not nullable, a dot in a name, `tool_choice: "none"` without tools.',
      'WIRE-11':
        "MUST strict: Cross-field rules give 400: `top_logprobs` without `logprobs`, `stream_options` without `stream`, `tool_choice` without `tools` or naming an absent tool, a tool message that answers no call, an assistant message with neither content nor calls. (An assistant's call left unanswered may be refused or accepted.)",
      'WIRE-12':
        'MUST strict: A known field that the server does not support is refused with 400 and named, never silently ignored; judged on fields whose effect can be seen (`n`, `stop`, token limits, `response_format`, `tools`, `functions`, `logprobs`, `stream_options`, media parts). Unknown members inside a message of the history may be accepted: clients replay what they were sent.',
      'WIRE-13': 'MUST: `null` for a nullable optional field means the same as leaving it out.',
      'WIRE-14': 'SHOULD: Same request, same `seed`, temperature 0: same text.',
      'WIRE-15':
        'SHOULD: `GET /v1/models`: `object` = `list`, `data[]` of `{id, object: "model", created: integer, owned_by: string}`.',
      'WIRE-16':
        'SHOULD strict: `GET /v1/models/{id}` returns that record, percent-encoded ids included; an unknown id is a 404.',
      'WIRE-17':
        'MUST: `response_format` `json_object`: the content parses as a JSON object. (The prompt says "JSON": a service may demand that.)',
      'WIRE-18':
        'MUST: `response_format` `json_schema` with `strict`: the content validates against the schema, also against schemas as client libraries generate them (`$defs`, `$ref`, recursion, `anyOf` with null, `enum`, nested arrays). A schema that the service cannot follow is refused with a 400.',
      'WIRE-19':
        'MUST: `logprobs`: one entry per token with token, logprob ≤ 0, `bytes` (integers or null), `top_logprobs` of at most the asked length (another order than falling only warns); the bytes joined (the tokens, where bytes are null) are the content. Streamed and plain `logprobs` agree on the same request to a deterministic model, candidates included; where the chosen token is among its candidates, both have the same logprob.',
      'WIRE-20':
        'MUST: `logit_bias` acts: −100 on a token removes it. (Needs a token id of a known text: documented for the reference server, otherwise given to the judge; without one only the range is judged.)',
      'WIRE-21': 'SHOULD strict: `x-request-id` on every answer, different each time.',
      'WIRE-22': 'SHOULD: `usage` is present on every completion that is not streamed.',
      'WIRE-23': {
        wireLevel: 'MAY',
        rule: 'SHOULD strict: An unknown top-level field is refused with 400 and named. (MAY in profile `wire`: it is only reported there, since services disagree about it on purpose.)',
      },
      'WIRE-24':
        "SHOULD: An answer's message sent back as history, as the official libraries do it (`tool_calls`, `refusal`, `audio`, `function_call` null, `annotations` empty, what `.parse()` adds left out), is accepted. So is the same message with every further member that the service itself sent (`reasoning_content`, `reasoning`, `extra_content` of a call), as agents send it back.",
      'WIRE-25': 'SHOULD strict: Where `service_tier` is accepted, the answer reports which tier served it.',
      'WIRE-26':
        'SHOULD: A conversation is accepted in any order of roles: two user messages in a row, a system message that is not first, an assistant message first, tool results in another order than their calls.',
      'WIRE-27':
        'SHOULD: `content` carries no markup of the chat template, of tool calls or of reasoning (`<|im_end|>`, `<tool_call>`, `[TOOL_CALLS]`, `<think>` and the like), unless the prompt has it.',
      'WIRE-28':
        "SHOULD: A prompt longer than the model's context is refused with a 400, never silently truncated: while requests succeed, `usage.prompt_tokens` grows with the prompt. (Judged up to a size that the run's budget allows; the report says how far.)",
      'WIRE-29':
        'MAY: Reasoning text, if there is any, has one name (`reasoning_content` or `reasoning`) in answers and streams, and is not mixed into `content`.',
      'WIRE-30':
        'SHOULD strict: A known field is validated also if its value changes nothing that can be seen (`audio`, `prediction`, `web_search_options`, `moderation` and their members). In profile `wire` wrong values of such fields are judged here, one finding for each field, and not under CHAT-5, CHAT-6 and WIRE-10; in profile `service` those rows judge them.',
      'WIRE-31': {
        brokenBy: ['end'],
        rule: 'SHOULD: An answer is compressed only if the request allows it (`Accept-Encoding`, RFC 9110 12.5.3: not for `identity` or a list without that coding; without the header every coding is allowed), and it then decodes to the whole answer, plain and streamed.',
      },
      'WIRE-32':
        'SHOULD: Counts are honest. On a deterministic model the same request has the same `prompt_tokens`; a text repeated 1 to 8 times adds a count that grows by the same number at each step, within one token, and stays on one line for more (so that neither a limit nor rounding hides). `prompt_tokens` count the prompt once, however many choices `n` requests. `completion_tokens` equals the entries of `logprobs` if the answer has them (the token that ends a text may be counted and have no entry) and is never above the bound of the request. A stream counts what the plain answer counts.',
      'WIRE-33':
        'SHOULD strict: `store: true` is refused by name, or the completion can be retrieved, listed, its messages read, updated and deleted at `/v1/chat/completions/{id}`, is a 404 afterwards, and is invisible to another key. (A capability. `GET /v1/chat/completions` is then the list, and not a wrong method for ERR-5. Without a key these addresses give 401, AUTH-1.)',
      'WIRE-37':
        'SHOULD: The JSON is what strict parsers accept: integers (`created`, indexes, counts, token ids) are written without fraction and exponent, no object has a member twice, and no number is rounded. (Clients in Go, Rust, C# and Java refuse the answer otherwise. Judged on the text, because a parser in JavaScript cannot see the difference.)',
    },
  },
  // Streaming
  {
    source: 'wire',
    subject: 'server',
    rows: {
      'STREAM-1': {
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
      'STREAM-10':
        'MUST: Errors known before the first token (400, 401, 404, 429) are plain JSON answers with their status, also with `stream: true`.',
      'STREAM-11':
        'SHOULD: Deltas arrive as they are produced, not in one piece at the end, also for a client that accepts gzip, and also with `tools`, `response_format` or `logprobs` in the request. (Not applicable to a model that answers at once.)',
      'STREAM-12': 'SHOULD: A client that disconnects stops the work, plain and streamed.',
      'STREAM-13': 'MUST strict: Invalid bodies with `stream: true` are judged as without it.',
    },
  },
  // Tool calls
  {
    source: 'wire',
    subject: 'server',
    rows: {
      'TOOL-1':
        'MUST: A call has `id` (unique within the answer), `type` = `function`, `function.name` among the tools offered, `function.arguments` a string that parses as a JSON object: `{}` for a function without parameters, never an empty string, never JSON encoded twice (only a warning where `strict` is not set: the format promises no more).',
      'TOOL-2':
        'MUST: `content` is there beside calls, null or a string; `finish_reason` is `tool_calls` (where `tool_choice` demanded a call, `stop` is allowed too).',
      'TOOL-3':
        'MUST: `tool_choice`: `required` gives at least one call, a named function at least one call and only of that function, `none` no call.',
      'TOOL-4': "MUST: Arguments validate against the tool's parameters when `strict` is set.",
      'TOOL-5':
        'MUST: Streamed: first fragment `{index, id, type, function: {name, arguments}}`, later ones `{index, function: {arguments}}` (`arguments` may be absent from the first; the same `type` may be repeated, as client libraries expect of `type`; `id` and `name` may not); indexes count from 0; fragments joined equal the non-streamed arguments.',
      'TOOL-6':
        'MUST: A full round trip works: call, tool message with that `tool_call_id`, final answer; also with several calls and an empty result. (The judge sends back every member that it received, plain and streamed, those that the format does not know included: a service may demand its own `reasoning_content` or `extra_content`. A history of the judge that a service refuses for such a member alone is not judged.)',
      'TOOL-7': 'MUST: `parallel_tool_calls: false` gives at most one call.',
      'TOOL-9':
        'SHOULD: The ids of calls do not come again in later answers of a conversation: several answers to one history that grows have no id twice.',
    },
  },
  // Engines, judged with a puppet alone: a model whose texts are known. One leading and one trailing newline of a text may be
  // trimmed. An engine that parses nothing of a kind, so that the text stays in the content, is not judged by its rows.
  {
    source: 'wire',
    subject: 'server',
    rows: {
      'PARSE-1':
        'MUST: A text without markup arrives byte for byte, plain and streamed, with all its spaces, newlines, code fences and characters; no chunk splits a character.',
      'PARSE-2':
        'MUST: A call that the model writes arrives as a call: its name, and arguments that are equal to the written ones as JSON values; nothing of its markup is in the content; the finish reason is `tool_calls`.',
      'PARSE-3':
        'MUST: The stream of every script gives the text, the thoughts, the calls and the finish reason of the plain answer.',
      'PARSE-4':
        'MUST: Several calls of one output arrive in order, each with its own id, index and arguments.',
      'PARSE-5': 'MUST: Text before and after a call stays content, whole and once.',
      'PARSE-6':
        'MUST: Thoughts go to the reasoning text (`reasoning_content` or `reasoning`), whole, and the rest to the content or the calls; empty thoughts leave nothing behind.',
      'PARSE-7':
        'MUST: An output that `max_tokens` cuts, at any token, is answered (200, `length`): no part of a marker is in the content or the reasoning text, and a call that was not complete is either absent or has the arguments as far as they came; it is never completed.',
      'PARSE-8':
        'MUST: Arguments survive: nested, empty, null, Unicode, escapes, numbers written as text, texts that hold the markers of the family.',
      'PARSE-9':
        'SHOULD: Markup that is only quoted (in prose, in a code fence), that names no offered function or that never ends is not taken for a call, and is not lost: it is in the content.',
      'PARSE-10':
        'SHOULD: Without `tools`, or with `tool_choice: "none"`, the text of the model is not lost: it arrives as content (or, if the engine parses it all the same, as a call).',
    },
  },
  // Client libraries
  {
    source: 'wire',
    subject: 'server',
    rows: {
      'SDK-1':
        'MUST: The official `openai` library works unchanged with base address, key and model set: create, stream, `.stream()` helper, `.parse()`, `.runTools()`, models list, error classes per status, abort. (Retrieving one model is judged by WIRE-16 alone. A failure that only the text of the model causes, such as a number too large for the library, is not blamed on the service.)',
      'SDK-2':
        'MUST: Many asynchronous calls in flight on one client each get their own answer: its text if the model echoes, otherwise the `prompt_tokens` that the same prompt has alone.',
    },
  },
  // Gateways. Each row compares the two hops of an exchange.
  {
    source: 'gateways',
    subject: 'gateway',
    rows: {
      'GATE-1':
        'MUST: Every member of a valid request reaches the upstream with the same value: messages, parts, tools, schemas, exact numbers, any Unicode, `null`. Nothing is dropped, reordered in a list, or replaced by a default that the client did not send. Each request reaches the upstream: none is answered from the answer to another one. (A gateway may answer an equal request from a cache if a header of the answer says so. The gateway may refuse the request with a 400 that names the member, map the name of the model, add members that the format does not know, and add what says the same as its absence: `null`, `false` for `stream`, `logprobs` and `store`, and `stream_options.include_usage`, which GATE-7 bounds.)',
      'GATE-2':
        'MUST: Every documented member of an answer reaches the client unchanged: choices, text, refusal, tool calls with their ids, finish reason, logprobs, `service_tier`. (`id`, `created`, `model` and `system_fingerprint` may be rewritten, any member may be added, and a member that is `null` may be absent.)',
      'GATE-3':
        'MUST: Text and fragments of a stream reach the client once, in order, in their choice and call, so that the joined text, arguments and logprobs are equal; indexes and ids are kept, comments never become data, each choice has one finish reason, and `[DONE]` comes once. Also for lines over 64 KiB, streams of minutes, characters cut between two writes, and a call that ends with `length`. The members around the choices (`id`, `object`, `created`, `model`) are those of the upstream or of the gateway, present and constant within a stream, its last chunk included; a chunk without choices stays one. (Adjacent deltas may be joined, and split between characters.)',
      'GATE-4':
        'SHOULD: Deltas are forwarded as they arrive: a delta is not held back until the next one comes.',
      'GATE-5':
        "MUST: A refusal keeps its meaning: 400, 404, 429, 500 and 503 of the upstream arrive with that status, with the upstream's `Retry-After`, and any other 4xx as a 4xx, in an error object with a message. A `Retry-After` with a fraction or a date is not shortened: the requested wait arrives whole. (The gateway may first repeat the request within GATE-10. `message`, `type` and `code` may be its own.)",
      'GATE-6':
        'MUST: A stream that breaks, ends early or carries an error record is never turned into a clean end: no `[DONE]`, no invented finish reason. (Behind an error record a `[DONE]` ends nothing cleanly.) A plain answer that breaks is an error.',
      'GATE-7':
        "MUST: `usage` is the upstream's, number by number, details included. It is sent if the client requested it, and not otherwise.",
      'GATE-8':
        "MUST: The client's key never reaches the upstream. The upstream's key and address never reach the client, in no header and no error, even if an error of the upstream quotes its key.",
      'GATE-9':
        'SHOULD: A client that disconnects ends the request at the upstream within 5 seconds, plain and streamed.',
      'GATE-10':
        'SHOULD: The gateway repeats a request only after 429, 500, 503 or a failed connection, in at most 5 attempts, with the same body, and never after the first byte of an answer reached the client.',
      'GATE-11': 'MUST: Concurrent requests are never mixed up.',
      'GATE-12':
        'MUST: If the upstream is down, silent, or answers with something other than the format, the client gets an error with status 500, 502, 503 or 504 within 30 seconds, or within the timeout of the gateway that the judge was given: never a hang, and never a success. (A stream whose 200 has already been sent ends with an error record, or breaks.)',
      'GATE-13':
        'SHOULD: Members that the format does not know reach the other side, in requests and in answers, for example `top_k` and `reasoning_content`, at any depth: in messages, parts, tools, tool calls and deltas (`cache_control`, `extra_content`). (The gateway may refuse the request with a 400 that names the member.)',
      'GATE-14':
        'MUST: Bodies are whole: a request of several MB (images), and an answer that the upstream compressed because the gateway requested it, arrive complete and decodable, with a true length.',
      'GATE-15':
        "MUST: The gateway's own refusals: a missing or wrong key of the client gives 401, an unknown model 404 or 400, each in an error object with a message; neither reaches the upstream. (Not applicable to a gateway without keys of its own.)",
      'GATE-16':
        'SHOULD: A connection to the upstream that the upstream closed while it was idle costs no request: the next request is answered over a new connection.',
    },
  },
] as const satisfies readonly Section[]

type IdsOf<S> = S extends { readonly rows: infer Rows } ? keyof Rows : never

/** The id of a row, such as `AUTH-3`. */
export type RequirementId = IdsOf<(typeof sections)[number]>

type Row = Requirement & { readonly id: RequirementId }

/** The whole catalogue, in reading order. */
export const requirements: readonly Row[] = sections.flatMap((section: Section) =>
  Object.entries(section.rows).map(([id, row]) => rowOf(id as RequirementId, row, section)),
)

function rowOf(id: RequirementId, row: Rule | Exception, section: Section): Row {
  const { rule, ...exceptions } = typeof row === 'string' ? { rule: row } : row
  const { source, subject } = { ...section, ...exceptions }
  const [, level, strict, text = ''] = /^(MUST|SHOULD|MAY)( strict)?: (.*)$/.exec(rule) ?? []
  const tier = strict === undefined ? 'interop' : 'strict'
  return {
    id,
    level: level as Level,
    source,
    subject,
    text,
    ...exceptions,
    profiles: section.isOfFormat || source === 'wire' ? ['service', 'wire'] : ['service'],
    tier: subject === 'server' ? tier : undefined,
  }
}

const byId = new Map<string, Row>(requirements.map((row) => [row.id, row]))

/** The row with this id; throws `RangeError` if there is none. */
export function requirement(id: RequirementId): Row {
  const row = byId.get(id)
  if (row === undefined) throw new RangeError(`no requirement has the id ${id}`)
  return row
}

/** The tier of a row; undefined if it does not judge servers, or if no row has this id. */
export function tierOf(id: string): Tier | undefined {
  return byId.get(id)?.tier
}

/** The level of a row in a profile. */
export function levelIn(profile: Profile, { level, wireLevel = level }: Requirement): Level {
  return profile === 'wire' ? wireLevel : level
}

/** A row with its level in a profile. */
export function rowIn(profile: Profile, row: Row): Row {
  return { ...row, level: levelIn(profile, row) }
}

/** Whether `id` names a row of the catalogue. */
export function isRequirementId(id: string): id is RequirementId {
  return byId.has(id)
}
