// The specification sentence by sentence, in its own order: which requirements judge each one, or why none does.
// A sentence is left out only if the text says "not shown", if it is a rule for callers of the service that no
// answer could show it, or where it says what the text itself is about. Whole, as the specification is: it is read
// beside it from top to bottom.
import { requirement, type RequirementId, requirements } from './requirements.ts'

/** The only reasons why no requirement judges a sentence, each with what it says to a reader. */
export const EXCLUSIONS = {
  'not shown': 'the specification leaves it open: a check would be stricter than the text',
  'binds callers': 'a duty of those who hold keys or call the service, which nothing on the wire shows',
  definition: 'says what this text, or a word or part of it, is about, and lays down nothing',
} as const

type Exclusion = keyof typeof EXCLUSIONS

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
  'the Responses API, completions, embeddings, and every other operation':
    'the service has two operations, and these are none of them',
}

/** The ids of the requirements that judge a sentence, or why none does. An unknown id throws when this file is loaded. */
type Verdict = string | readonly RequirementId[]

/** The rows of the format that the specification adopts as a whole. */
const adopted: readonly RequirementId[] = requirements
  .filter(({ source, isAdopted }) => source === 'wire' || isAdopted)
  .map(({ id }) => id)

/** The sentences under each heading, in reading order. Headings of tables are left out. */
const sections: Readonly<Record<string, Readonly<Record<string, Verdict>>>> = {
  'Chat Completion Service Specification': {
    'This document covers the whole service: what it does, resources, states, endpoints, authentication, events, errors, limits and versioning.':
      'definition',
    'It is the only document.': 'definition',
    "Placeholders: `{base_url}` is the service's root address; all paths below are given relative to it and start with `/v1`.":
      'VERS-1, CALL-3',
    '`<API_KEY>` stands for a secret key value.': 'definition',
  },
  'What the service does': {
    'The service is a hosted language-model API.': 'CHAT-1',
    'A client sends a list of chat messages and names a model; the service returns a generated completion.':
      'CHAT-1, CHAT-2, CALL-4',
    'The chat endpoint follows the widely used chat completions wire format exactly.': adopted,
    'Any existing client library for that format works when its base address is pointed at `{base_url}/v1`, its key is set to a service key, and the model name is one the service offers.':
      'SDK-1, SDK-2, MODEL-4, CHAT-10',
    'The service has no client library of its own.': 'SDK-1',
    'Features stated to work as in that format: streaming, tool calls, asynchronous client use.': [
      ...adopted.filter((id) => /^(STREAM|TOOL|PARSE)-/.test(id)),
      'SDK-2',
      'READ-5',
      'READ-9',
      'READ-11',
    ],
    'Every request is authenticated with one API key carried in one header.': 'AUTH-1, AUTH-5, CALL-1',
    'There is no session flow and no OAuth flow.': 'AUTH-6',
    'Keys are created and revoked in a web dashboard, not through the API.': 'KEY-6',
    'Bodies are JSON.': 'CHAT-3, WIRE-5, CHAT-9, CALL-3',
    'Requests with a body use `Content-Type: application/json`.': 'CHAT-1, CHAT-10, SDK-1, CALL-3',
  },
  'Resources and their fields': {},
  'API key': {
    'Prefix | Always starts with `svc_sk_`': 'KEY-1, KEY-11',
    'Secret value | Shown once at creation; cannot be retrieved later; a lost key is replaced by creating a new one':
      'KEY-2, KEY-3',
    'Concurrency | Several keys can be active at once': 'KEY-3',
    'Created/revoked | In the dashboard only': 'KEY-6, KEY-12',
    'The key is a secret and must be kept on the server side only.': 'KEY-9, KEY-10, ERR-4, CALL-2',
  },
  Model: {
    'Identified by a string model ID.': 'MODEL-1, MODEL-5, MODEL-7',
    'One documented ID has the shape `svc-0.1-8b`.': 'VERS-2',
    'Model IDs are listed by `GET /v1/models`.': 'MODEL-1, MODEL-4',
    'A model ID can be unknown, or unavailable to a given key; both give a 404 error.':
      'MODEL-2, MODEL-3, MODEL-6, MODEL-8',
    'Fields of the model record: not shown beyond its ID.': 'not shown',
  },
  'Chat message (request)': {
    'role | string | yes | Values `system` and `user` are used; other roles: not shown.':
      'CHAT-2, CHAT-4, CHAT-5',
    'content | string | yes | Text of the message': 'CHAT-2, CHAT-4, CHAT-5, CHAT-8',
  },
  'Chat completion request': {
    'model | string | yes | A model ID': 'CHAT-4, CHAT-5, MODEL-5',
    'messages | array of chat message | yes | Omitting it gives a 400 error': 'CHAT-4, CHAT-5',
    'Further request fields: not shown.': 'not shown',
  },
  'Chat completion response': {
    'choices | array | At least one entry is expected': 'CHAT-1',
    'choices[].message | object | The generated message': 'CHAT-1',
    'choices[].message.content | string or null | Generated text; may be null': 'CHAT-1, READ-2',
    'Further response fields: not shown.': 'not shown',
  },
  'Error object': { 'See the Errors part.': 'ERR-1' },
  'States and transitions': {
    'An API key has two states: `active` and `revoked`.': 'KEY-4, KEY-5',
    '(none) | Key created in the dashboard | none | active | The full secret is displayed once':
      'KEY-2, KEY-3',
    'active | Key revoked or deleted in the dashboard | none | revoked | Takes effect immediately; any request using the key then gets 401 with code `invalid_api_key`':
      'KEY-4, AUTH-4',
    'Rules:': 'definition',
    'Creating a second key does not disable the first; both authenticate during a rotation.': 'KEY-3, KEY-7',
    'A revoked key never returns to `active`.': 'KEY-5',
    'Transitions of other resources: not shown.': 'not shown',
  },
  Endpoints: {
    'All endpoints require the `Authorization` header (see Authentication).': 'AUTH-1, AUTH-7',
    'The same header works for every endpoint; there are no per-endpoint credentials.': 'AUTH-5',
  },
  'POST /v1/chat/completions': {
    'Request headers: `Authorization: Bearer <API_KEY>`, `Content-Type: application/json`.':
      'AUTH-2, CHAT-1, CALL-1, CALL-3',
    'Request body: JSON object with `model` (string) and `messages` (array of objects with `role` and `content`), as in Resources.':
      'CHAT-1, CHAT-3, CHAT-4, CHAT-5, CALL-3, CALL-4',
    'Success: HTTP 200 with a JSON body containing `choices`, an array whose entries each hold a `message` object with `content`.':
      'CHAT-1, CHAT-7',
    'Failure: the error statuses in Errors.': 'ERR-2, ERR-7, CHAT-9',
    'A 400 is returned for malformed JSON, a missing required field, or an out-of-range value.':
      'CHAT-3, CHAT-4, CHAT-6',
    'A 404 is returned for an unknown or unavailable model.': 'MODEL-2, MODEL-3, MODEL-5, MODEL-6',
    'Any status other than 200 is a failure.': 'CHAT-7, ERR-1, READ-1',
    'Optional parameters and the streaming request form: not shown.': 'not shown',
    'Response fields other than `choices`: not shown.': 'not shown',
  },
  'GET /v1/models': {
    'Request headers: `Authorization: Bearer <API_KEY>`.': 'AUTH-1, AUTH-2',
    'Purpose: lists the valid model IDs.': 'MODEL-1, MODEL-4',
    'Response body shape: not shown.': 'not shown',
  },
  Authentication: {
    'Every request carries `Authorization: Bearer <API_KEY>`: the word `Bearer`, exactly one space, then the key.':
      'AUTH-1, AUTH-2, CALL-1',
    'The key starts with `svc_sk_`.': 'KEY-1, KEY-11, AUTH-8',
    'No other authentication mechanism exists for server-to-server use.': 'AUTH-6, CALL-2',
    'A missing key returns 401 with type `authentication_error` and code `missing_api_key`.': 'AUTH-3',
    'A malformed, wrong or revoked key returns 401 with type `authentication_error` and code `invalid_api_key`.':
      'AUTH-4, AUTH-8, KEY-4',
    'Diagnosis order for a 401: header form exactly as in rule 1; the key is not revoked; the value actually holds the key, without quotes or trailing whitespace.':
      'AUTH-2, AUTH-4, AUTH-7, CALL-1',
    'Keys are used from server-side code only and are never embedded in browser, mobile or other shipped client code.':
      'KEY-9',
    'Keys are loaded from the environment or a secrets store, not from source control.': 'KEY-10',
    'A leaked key is revoked at once.': 'binds callers',
    'Rotation without downtime:': 'KEY-7',
    'Create a new key; old and new both work.': 'KEY-7, KEY-3',
    'Deploy the new key to every calling service.': 'binds callers',
    'Verify traffic authenticates with the new key.': 'KEY-8',
    'Revoke the old key; requests still using it then receive 401.': 'KEY-7, KEY-4',
    'The key prefix allows secret scanners to detect leaked keys.': 'KEY-1',
  },
  Events: { 'Events (webhooks or other notifications): not shown.': 'not shown' },
  Errors: {
    'Every failed request returns an HTTP error status and a JSON body of one shape:':
      'ERR-1, ERR-5, READ-1, READ-4',
    'error.message | string | Human-readable text; not stable, never to be matched in code':
      'ERR-1, ERR-3, ERR-4, ERR-9, ERR-8, RETRY-8',
    'error.type | string | Error category; one type per HTTP status': 'ERR-1, ERR-2',
    'error.code | string | Specific machine-readable reason': 'ERR-1',
    'Clients branch on the status for control flow and on `code` for precise handling.': 'RETRY-8, READ-4',
    '400 | `invalid_request_error` | `invalid_request_error` (for a missing required field) | Malformed JSON, missing required field, invalid or out-of-range parameter | No':
      'ERR-2, CHAT-3, CHAT-4, CHAT-5, CHAT-6, RETRY-2',
    '401 | `authentication_error` | `missing_api_key` or `invalid_api_key` | Key missing, or wrong/malformed/revoked | No':
      'ERR-2, AUTH-3, AUTH-4, RETRY-2',
    '404 | `model_not_found` | not shown | Model ID does not exist or is unavailable to the key | No':
      'ERR-2, MODEL-2, MODEL-3, RETRY-2, MODEL-6',
    '429 | `rate_limit_error` | `rate_limit_exceeded` | Too many requests; response has a `Retry-After` header | Yes':
      'ERR-2, LIMIT-1, LIMIT-2, RETRY-1',
    '500 | `api_error` | not shown | Failure on the service side | Yes': 'ERR-2, CHAT-9, RETRY-1',
    '503 | `service_unavailable` | not shown | Temporary overload or maintenance | Yes': 'ERR-2, RETRY-1',
    'Note: for 404, 500 and 503 the listed name is the error category; the code values for them are as stated in the table.':
      'ERR-2',
  },
  'Retry rules': {
    'Retry only 429, 500 and 503.': 'RETRY-1, CALL-5',
    'Do not retry 400, 401 or 404 unchanged: they fail identically until the key, body or model ID is fixed.':
      'RETRY-2',
    'On 429, wait at least the `Retry-After` value (read as seconds) when it is a positive number.':
      'RETRY-3, LIMIT-2, LIMIT-3, LIMIT-6, LIMIT-7',
    'Otherwise, and for 500 and 503, wait with exponential backoff: the wait doubles each attempt (base 1000 ms, attempt counted from 0) plus random jitter of up to 250 ms.':
      'RETRY-4, RETRY-10, RETRY-11',
    'Bound both the number of attempts (a recommended cap is 5) and the total wait.':
      'RETRY-5, RETRY-6, RETRY-7',
    'For continual 429s under normal traffic, lower concurrency or spread the work out.': 'RETRY-9',
  },
  Limits: {
    'Rate limiting exists.': 'LIMIT-1, LIMIT-4, LIMIT-5',
    'A request over the limit returns 429 with `Retry-After`.': 'LIMIT-1, LIMIT-2',
    'Numeric rate limits and their scope: not shown.': 'not shown',
    'Maximum request size, message count and output length: not shown.': 'not shown',
  },
  Versioning: {
    'The API version is the first path segment: `/v1`.': 'VERS-1',
    'The model ID carries its own version-like label (for example `svc-0.1-8b`).': 'VERS-2',
    'Deprecation policy and version lifecycle: not shown.': 'not shown',
  },
}

/** The whole specification. */
export const specification: readonly TracedSection[] = Object.entries(sections).map(
  ([heading, sentences]) => ({
    heading,
    traces: Object.entries(sentences).map(([text, verdict]) => traceOf(text, verdict)),
  }),
)

function traceOf(text: string, verdict: Verdict): Trace {
  if (typeof verdict !== 'string') return { text, requirements: verdict }
  if (isExclusion(verdict)) return { text, excluded: verdict }
  return { text, requirements: verdict.split(', ').map((id) => requirement(id as RequirementId).id) }
}

function isExclusion(verdict: string): verdict is Exclusion {
  return verdict in EXCLUSIONS
}
