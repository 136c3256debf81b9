// The specification sentence by sentence, in its own order: which requirements judge each one, or why none does.
// A sentence is left out only if the text says "not shown", if it is a rule for callers of the service that no
// answer could show it, or where it says what the text itself is about. Whole, as the specification is: it is read
// beside it from top to bottom.
import { type RequirementId, requirements } from './requirements.ts'

/** Why no requirement judges a sentence. */
export type Exclusion = 'not shown' | 'binds callers' | 'definition'

/** The only reasons there are, each with what it says to a reader. */
export const EXCLUSIONS: Readonly<Record<Exclusion, string>> = {
  'not shown': 'the specification leaves it open: a check would be stricter than the text',
  'binds callers': 'a duty of those who hold keys or call the service, which nothing on the wire shows',
  definition: 'says what this text, or a word or part of it, is about, and lays down nothing',
}

/** A sentence, or a row of a table with its cells parted by `|`, and what judges it. */
export type Trace =
  | { readonly text: string; readonly requirements: readonly RequirementId[] }
  | { readonly text: string; readonly excluded: Exclusion }

/** A heading of the specification, as written, and the sentences that stand directly under it. */
export interface TracedSection {
  readonly heading: string
  readonly traces: readonly Trace[]
}

/** Parts of the official documents of the format without a check, and why: every behaviour of a service is accepted. */
export const OUTSIDE: Readonly<Record<string, string>> = {
  '`stream_options.include_obfuscation`, and `obfuscation` in the events of a stream':
    'padding that hides the sizes of events from an observer of the connection: it carries nothing, and how much is added is up to the service',
  '`system_fingerprint`': 'deprecated and optional, and its value has a meaning for the service only',
  'content filters: `finish_reason` of `content_filter`, and members with their findings':
    'what is filtered is the policy of each service, and no request is bound to meet it; such an end is accepted wherever another could stand',
  'answers that are refusals: `message.refusal` with a text':
    'no request makes every model refuse; if one does, the streamed and the plain refusal are compared (STREAM-6), and no row blames the absent content',
  'stored completions: `store`, and the operations under `/v1/chat/completions` beside `POST`':
    'operations that the specification does not name; `store: true` may be refused by its name (WIRE-12)',
  'the Responses API, completions, embeddings, and every other operation':
    'the service has two operations, and these are none of them',
}

function judged(text: string, ids: readonly RequirementId[]): Trace {
  return { text, requirements: ids }
}

function excluded(reason: Exclusion): (text: string) => Trace {
  return (text) => ({ text, excluded: reason })
}

const notShown = excluded('not shown')
const bindsCallers = excluded('binds callers')
const definition = excluded('definition')

/** The rows of the format that the specification adopts as a whole. */
const wireRows: readonly RequirementId[] = requirements
  .filter((row) => row.source === 'wire')
  .map(({ id }) => id)

/** The sentences under each heading, in reading order. Headings of tables are left out. */
const sections: Readonly<Record<string, readonly Trace[]>> = {
  'Chat Completion Service Specification': [
    definition(
      'This document covers the whole service: what it does, resources, states, endpoints, authentication, events, errors, limits and versioning.',
    ),
    definition('It is the only document.'),
    judged(
      "Placeholders: `{base_url}` is the service's root address; all paths below are given relative to it and start with `/v1`.",
      ['VERS-1', 'CALL-3'],
    ),
    definition('`<API_KEY>` stands for a secret key value.'),
  ],
  'What the service does': [
    judged('The service is a hosted language-model API.', ['CHAT-1']),
    judged(
      'A client sends a list of chat messages and names a model; the service returns a generated completion.',
      ['CHAT-1', 'CHAT-2', 'CALL-4'],
    ),
    judged('The chat endpoint follows the widely used chat completions wire format exactly.', [
      'CHAT-5',
      'CHAT-8',
      ...wireRows,
      'READ-3',
      'READ-5',
      'READ-6',
      'READ-7',
      'READ-8',
      'READ-10',
    ]),
    judged(
      'Any existing client library for that format works when its base address is pointed at `{base_url}/v1`, its key is set to a service key, and the model name is one the service offers.',
      ['SDK-1', 'SDK-2', 'MODEL-4', 'CHAT-10'],
    ),
    judged('The service has no client library of its own.', ['SDK-1']),
    judged('Features stated to work as in that format: streaming, tool calls, asynchronous client use.', [
      ...wireRows.filter((id) => /^(STREAM|TOOL)-/.test(id)),
      'SDK-2',
      'READ-5',
      'READ-9',
      'READ-11',
    ]),
    judged('Every request is authenticated with one API key carried in one header.', [
      'AUTH-1',
      'AUTH-5',
      'CALL-1',
    ]),
    judged('There is no session flow and no OAuth flow.', ['AUTH-6']),
    judged('Keys are created and revoked in a web dashboard, not through the API.', ['KEY-6']),
    judged('Bodies are JSON.', ['CHAT-3', 'WIRE-5', 'CHAT-9', 'CALL-3']),
    judged('Requests with a body use `Content-Type: application/json`.', [
      'CHAT-1',
      'CHAT-10',
      'SDK-1',
      'CALL-3',
    ]),
  ],
  'Resources and their fields': [],
  'API key': [
    judged('Prefix | Always starts with `svc_sk_`', ['KEY-1', 'KEY-11']),
    judged(
      'Secret value | Shown once at creation; cannot be retrieved later; a lost key is replaced by creating a new one',
      ['KEY-2', 'KEY-3'],
    ),
    judged('Concurrency | Several keys can be active at once', ['KEY-3']),
    judged('Created/revoked | In the dashboard only', ['KEY-6', 'KEY-12']),
    judged('The key is a secret and must be kept on the server side only.', [
      'KEY-9',
      'KEY-10',
      'ERR-4',
      'CALL-2',
    ]),
  ],
  Model: [
    judged('Identified by a string model ID.', ['MODEL-1', 'MODEL-5', 'MODEL-7']),
    judged('One documented ID has the shape `svc-0.1-8b`.', ['VERS-2']),
    judged('Model IDs are listed by `GET /v1/models`.', ['MODEL-1', 'MODEL-4']),
    judged('A model ID can be unknown, or unavailable to a given key; both give a 404 error.', [
      'MODEL-2',
      'MODEL-3',
      'MODEL-6',
      'MODEL-8',
    ]),
    notShown('Fields of the model record: not shown beyond its ID.'),
  ],
  'Chat message (request)': [
    judged('role | string | yes | Values `system` and `user` are used; other roles: not shown.', [
      'CHAT-2',
      'CHAT-4',
      'CHAT-5',
    ]),
    judged('content | string | yes | Text of the message', ['CHAT-2', 'CHAT-4', 'CHAT-5', 'CHAT-8']),
  ],
  'Chat completion request': [
    judged('model | string | yes | A model ID', ['CHAT-4', 'CHAT-5', 'MODEL-5']),
    judged('messages | array of chat message | yes | Omitting it gives a 400 error', ['CHAT-4', 'CHAT-5']),
    notShown('Further request fields: not shown.'),
  ],
  'Chat completion response': [
    judged('choices | array | At least one entry is expected', ['CHAT-1']),
    judged('choices[].message | object | The generated message', ['CHAT-1']),
    judged('choices[].message.content | string or null | Generated text; may be null', ['CHAT-1', 'READ-2']),
    notShown('Further response fields: not shown.'),
  ],
  'Error object': [judged('See the Errors part.', ['ERR-1'])],
  'States and transitions': [
    judged('An API key has two states: `active` and `revoked`.', ['KEY-4', 'KEY-5']),
    judged('(none) | Key created in the dashboard | none | active | The full secret is displayed once', [
      'KEY-2',
      'KEY-3',
    ]),
    judged(
      'active | Key revoked or deleted in the dashboard | none | revoked | Takes effect immediately; any request using the key then gets 401 with code `invalid_api_key`',
      ['KEY-4', 'AUTH-4'],
    ),
    definition('Rules:'),
    judged('Creating a second key does not disable the first; both authenticate during a rotation.', [
      'KEY-3',
      'KEY-7',
    ]),
    judged('A revoked key never returns to `active`.', ['KEY-5']),
    notShown('Transitions of other resources: not shown.'),
  ],
  Endpoints: [
    judged('All endpoints require the `Authorization` header (see Authentication).', ['AUTH-1', 'AUTH-7']),
    judged('The same header works for every endpoint; there are no per-endpoint credentials.', ['AUTH-5']),
  ],
  'POST /v1/chat/completions': [
    judged('Request headers: `Authorization: Bearer <API_KEY>`, `Content-Type: application/json`.', [
      'AUTH-2',
      'CHAT-1',
      'CALL-1',
      'CALL-3',
    ]),
    judged(
      'Request body: JSON object with `model` (string) and `messages` (array of objects with `role` and `content`), as in Resources.',
      ['CHAT-1', 'CHAT-3', 'CHAT-4', 'CHAT-5', 'CALL-3', 'CALL-4'],
    ),
    judged(
      'Success: HTTP 200 with a JSON body containing `choices`, an array whose entries each hold a `message` object with `content`.',
      ['CHAT-1', 'CHAT-7'],
    ),
    judged('Failure: the error statuses in Errors.', ['ERR-2', 'ERR-7', 'CHAT-9']),
    judged('A 400 is returned for malformed JSON, a missing required field, or an out-of-range value.', [
      'CHAT-3',
      'CHAT-4',
      'CHAT-6',
    ]),
    judged('A 404 is returned for an unknown or unavailable model.', [
      'MODEL-2',
      'MODEL-3',
      'MODEL-5',
      'MODEL-6',
    ]),
    judged('Any status other than 200 is a failure.', ['CHAT-7', 'ERR-1', 'READ-1']),
    notShown('Optional parameters and the streaming request form: not shown.'),
    notShown('Response fields other than `choices`: not shown.'),
  ],
  'GET /v1/models': [
    judged('Request headers: `Authorization: Bearer <API_KEY>`.', ['AUTH-1', 'AUTH-2']),
    judged('Purpose: lists the valid model IDs.', ['MODEL-1', 'MODEL-4']),
    notShown('Response body shape: not shown.'),
  ],
  Authentication: [
    judged(
      'Every request carries `Authorization: Bearer <API_KEY>`: the word `Bearer`, exactly one space, then the key.',
      ['AUTH-1', 'AUTH-2', 'CALL-1'],
    ),
    judged('The key starts with `svc_sk_`.', ['KEY-1', 'KEY-11', 'AUTH-8']),
    judged('No other authentication mechanism exists for server-to-server use.', ['AUTH-6', 'CALL-2']),
    judged('A missing key returns 401 with type `authentication_error` and code `missing_api_key`.', [
      'AUTH-3',
    ]),
    judged(
      'A malformed, wrong or revoked key returns 401 with type `authentication_error` and code `invalid_api_key`.',
      ['AUTH-4', 'AUTH-8', 'KEY-4'],
    ),
    judged(
      'Diagnosis order for a 401: header form exactly as in rule 1; the key is not revoked; the value actually holds the key, without quotes or trailing whitespace.',
      ['AUTH-2', 'AUTH-4', 'AUTH-7', 'CALL-1'],
    ),
    judged(
      'Keys are used from server-side code only and are never embedded in browser, mobile or other shipped client code.',
      ['KEY-9'],
    ),
    judged('Keys are loaded from the environment or a secrets store, not from source control.', ['KEY-10']),
    bindsCallers('A leaked key is revoked at once.'),
    judged('Rotation without downtime:', ['KEY-7']),
    judged('Create a new key; old and new both work.', ['KEY-7', 'KEY-3']),
    bindsCallers('Deploy the new key to every calling service.'),
    judged('Verify traffic authenticates with the new key.', ['KEY-8']),
    judged('Revoke the old key; requests still using it then receive 401.', ['KEY-7', 'KEY-4']),
    judged('The key prefix allows secret scanners to detect leaked keys.', ['KEY-1']),
  ],
  Events: [notShown('Events (webhooks or other notifications): not shown.')],
  Errors: [
    judged('Every failed request returns an HTTP error status and a JSON body of one shape:', [
      'ERR-1',
      'ERR-5',
      'READ-1',
      'READ-4',
    ]),
    judged('error.message | string | Human-readable text; not stable, never to be matched in code', [
      'ERR-1',
      'ERR-3',
      'ERR-4',
      'ERR-9',
      'ERR-8',
      'RETRY-8',
    ]),
    judged('error.type | string | Error category; one type per HTTP status', ['ERR-1', 'ERR-2']),
    judged('error.code | string | Specific machine-readable reason', ['ERR-1']),
    judged('Clients branch on the status for control flow and on `code` for precise handling.', [
      'RETRY-8',
      'READ-4',
    ]),
    judged(
      '400 | `invalid_request_error` | `invalid_request_error` (for a missing required field) | Malformed JSON, missing required field, invalid or out-of-range parameter | No',
      ['ERR-2', 'CHAT-3', 'CHAT-4', 'CHAT-5', 'CHAT-6', 'RETRY-2'],
    ),
    judged(
      '401 | `authentication_error` | `missing_api_key` or `invalid_api_key` | Key missing, or wrong/malformed/revoked | No',
      ['ERR-2', 'AUTH-3', 'AUTH-4', 'RETRY-2'],
    ),
    judged(
      '404 | `model_not_found` | not shown | Model ID does not exist or is unavailable to the key | No',
      ['ERR-2', 'MODEL-2', 'MODEL-3', 'RETRY-2', 'MODEL-6'],
    ),
    judged(
      '429 | `rate_limit_error` | `rate_limit_exceeded` | Too many requests; response has a `Retry-After` header | Yes',
      ['ERR-2', 'LIMIT-1', 'LIMIT-2', 'RETRY-1'],
    ),
    judged('500 | `api_error` | not shown | Failure on the service side | Yes', [
      'ERR-2',
      'CHAT-9',
      'RETRY-1',
    ]),
    judged('503 | `service_unavailable` | not shown | Temporary overload or maintenance | Yes', [
      'ERR-2',
      'RETRY-1',
    ]),
    judged(
      'Note: for 404, 500 and 503 the listed name is the error category; the code values for them are as stated in the table.',
      ['ERR-2'],
    ),
  ],
  'Retry rules': [
    judged('Retry only 429, 500 and 503.', ['RETRY-1', 'CALL-5']),
    judged(
      'Do not retry 400, 401 or 404 unchanged: they fail identically until the key, body or model ID is fixed.',
      ['RETRY-2'],
    ),
    judged('On 429, wait at least the `Retry-After` value (read as seconds) when it is a positive number.', [
      'RETRY-3',
      'LIMIT-2',
      'LIMIT-3',
      'LIMIT-6',
      'LIMIT-7',
    ]),
    judged(
      'Otherwise, and for 500 and 503, wait with exponential backoff: the wait doubles each attempt (base 1000 ms, attempt counted from 0) plus random jitter of up to 250 ms.',
      ['RETRY-4', 'RETRY-10', 'RETRY-11'],
    ),
    judged('Bound both the number of attempts (a recommended cap is 5) and the total wait.', [
      'RETRY-5',
      'RETRY-6',
      'RETRY-7',
    ]),
    judged('For continual 429s under normal traffic, lower concurrency or spread the work out.', ['RETRY-9']),
  ],
  Limits: [
    judged('Rate limiting exists.', ['LIMIT-1', 'LIMIT-4', 'LIMIT-5']),
    judged('A request over the limit returns 429 with `Retry-After`.', ['LIMIT-1', 'LIMIT-2']),
    notShown('Numeric rate limits and their scope: not shown.'),
    notShown('Maximum request size, message count and output length: not shown.'),
  ],
  Versioning: [
    judged('The API version is the first path segment: `/v1`.', ['VERS-1']),
    judged('The model ID carries its own version-like label (for example `svc-0.1-8b`).', ['VERS-2']),
    notShown('Deprecation policy and version lifecycle: not shown.'),
  ],
}

/** The whole specification. */
export const specification: readonly TracedSection[] = Object.entries(sections).map(([heading, traces]) => ({
  heading,
  traces,
}))
