// The operations of the service: what is sent, what is answered, and with which statuses. The OpenAPI document and
// the page for readers are made of this table.
import type { ZodTypeAny } from 'zod'
import { type ErrorEnvelope, type ErrorStatus, errorCodes, errorTypes } from './error.ts'
import {
  type ChatCompletion,
  type ChatCompletionChunk,
  type ModelList,
  type ModelRecord,
  chatCompletion,
  chatCompletionChunk,
  modelList,
  modelRecord,
} from './response.ts'
import { type ChatCompletionRequest, chatCompletionRequest } from './request.ts'

/** A value that a schema accepts, by the name under which it is shown. */
export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

/** One form of a body. In an event stream each `data:` record but the last, `[DONE]`, holds a value of the schema. */
export interface Content {
  readonly mediaType: 'application/json' | 'text/event-stream'
  readonly schema: ZodTypeAny
  readonly examples: Examples
}

export interface Operation {
  readonly id: 'createChatCompletion' | 'listModels' | 'retrieveModel'
  readonly method: 'get' | 'post'
  /** A path template, as `/v1/models/{model}`. */
  readonly path: string
  readonly tag: 'Chat' | 'Models'
  readonly summary: string
  readonly description: string
  /** What the path template leaves open, by name. */
  readonly parameters: Readonly<Record<string, { readonly description: string; readonly example: string }>>
  readonly request: Content | null
  /** What is answered with 200, in each of its forms. */
  readonly success: { readonly description: string; readonly contents: readonly Content[] }
  readonly errors: readonly ErrorStatus[]
}

const MODEL = 'svc-0.1-echo'
/** A model that calls tools, which the echo does not. */
const TOOL_MODEL = 'svc-0.1-8b'
const CREATED = 1_763_712_000

const question = { role: 'user', content: 'Say hello.' } as const
const clock = {
  type: 'function',
  function: {
    name: 'get_time',
    description: 'Tells the time in a place.',
    parameters: {
      type: 'object',
      properties: { place: { type: 'string' } },
      required: ['place'],
      additionalProperties: false,
    },
    strict: true,
  },
} as const
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_time', arguments: '{"place":"Lisbon"}' },
} as const

const requests = {
  plain: { model: MODEL, messages: [question] },
  streamed: { model: MODEL, messages: [question], stream: true, stream_options: { include_usage: true } },
  tools: {
    model: TOOL_MODEL,
    messages: [{ role: 'user', content: 'What time is it in Lisbon?' }],
    tools: [clock],
    tool_choice: 'required',
  },
  'tool-result': {
    model: TOOL_MODEL,
    messages: [
      { role: 'user', content: 'What time is it in Lisbon?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: '10:15', tool_call_id: call.id },
    ],
    tools: [clock],
  },
} satisfies Record<string, ChatCompletionRequest>

const head = { id: 'chatcmpl-1', created: CREATED, model: MODEL }
const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }

const completion: ChatCompletion = {
  ...head,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Say hello.', refusal: null },
      finish_reason: 'stop',
      logprobs: null,
    },
  ],
  usage,
}

const completionWithCall: ChatCompletion = {
  ...head,
  model: TOOL_MODEL,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: null, refusal: null, tool_calls: [call] },
      finish_reason: 'tool_calls',
      logprobs: null,
    },
  ],
  usage,
}

function chunk(
  choices: ChatCompletionChunk['choices'],
  total: ChatCompletionChunk['usage'] = null,
): ChatCompletionChunk {
  return { ...head, object: 'chat.completion.chunk', choices, usage: total }
}

const chunks = {
  first: chunk([{ index: 0, delta: { role: 'assistant', content: '', refusal: null }, finish_reason: null }]),
  text: chunk([{ index: 0, delta: { content: 'Say hello.' }, finish_reason: null }]),
  finish: chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
  usage: chunk([], usage),
}

const model: ModelRecord = { id: MODEL, object: 'model', created: CREATED, owned_by: 'touchstone' }
const models: ModelList = { object: 'list', data: [model] }

/** Every operation under `/v1`; each of them demands a key. */
export const operations: readonly Operation[] = [
  {
    id: 'createChatCompletion',
    method: 'post',
    path: '/v1/chat/completions',
    tag: 'Chat',
    summary: 'Generate an answer to a conversation',
    description:
      'Takes a list of messages and a model, and answers with what the model generates: as one JSON object or, with `stream`, as an event stream. A field that the model does not support is refused by name, never ignored; so is a member that the format does not know. Members that it does not know inside messages are accepted, since a client replays what it was sent. `null` in a field that may be null means the same as leaving it out. What is known before the first token (400, 401, 404, 429) is a plain JSON answer, also with `stream`; an error after that is one last record with the error object, and no `[DONE]` follows it.',
    parameters: {},
    request: {
      mediaType: 'application/json',
      schema: chatCompletionRequest,
      examples: {
        plain: { summary: 'One question', value: requests.plain },
        streamed: { summary: 'Streamed, with the usage at the end', value: requests.streamed },
        tools: { summary: 'A tool that has to be called', value: requests.tools },
        'tool-result': { summary: 'The result of a call', value: requests['tool-result'] },
      },
    },
    success: {
      description:
        'The answer. As an event stream it is one record `data: <chunk>` for each chunk and, at the end, `data: [DONE]`; each record is followed by a blank line, and lines that begin with a colon are comments.',
      contents: [
        {
          mediaType: 'application/json',
          schema: chatCompletion,
          examples: {
            text: { summary: 'Text', value: completion },
            call: { summary: 'A call', value: completionWithCall },
          },
        },
        {
          mediaType: 'text/event-stream',
          schema: chatCompletionChunk,
          examples: {
            first: { summary: 'The first chunk of a choice', value: chunks.first },
            text: { summary: 'Text', value: chunks.text },
            finish: { summary: 'The last chunk of a choice', value: chunks.finish },
            usage: { summary: 'The usage, where it was asked for', value: chunks.usage },
          },
        },
      ],
    },
    errors: [400, 401, 404, 429, 500, 503],
  },
  {
    id: 'listModels',
    method: 'get',
    path: '/v1/models',
    tag: 'Models',
    summary: 'List the models',
    description: 'The models that the key may use. A model that is not listed does not exist for this key.',
    parameters: {},
    request: null,
    success: {
      description: 'The models.',
      contents: [
        {
          mediaType: 'application/json',
          schema: modelList,
          examples: { one: { summary: 'One model', value: models } },
        },
      ],
    },
    errors: [401, 429, 500, 503],
  },
  {
    id: 'retrieveModel',
    method: 'get',
    path: '/v1/models/{model}',
    tag: 'Models',
    summary: 'Retrieve one model',
    description: 'One model that the key may use. The id is percent-encoded where it has a slash.',
    parameters: { model: { description: 'The id of the model, exactly as it is listed.', example: MODEL } },
    request: null,
    success: {
      description: 'The model.',
      contents: [
        {
          mediaType: 'application/json',
          schema: modelRecord,
          examples: { model: { summary: 'A model', value: model } },
        },
      ],
    },
    errors: [401, 404, 429, 500, 503],
  },
]

/** What a failed request is answered with. */
export interface ErrorAnswer {
  /** The name of the answer in the document. */
  readonly name: string
  readonly description: string
  readonly examples: Examples
  /** Whether a `Retry-After` header tells when to come back: always, or where the service knows. */
  readonly retryAfter: 'always' | 'sometimes' | 'never'
}

function example(
  status: ErrorStatus,
  summary: string,
  code: string,
  message: string,
  param: string | null = null,
) {
  const value: ErrorEnvelope = { error: { message, type: errorTypes[status], code, param } }
  return { summary, value }
}

/** One answer for each status of the table (ERR-2). */
export const errorAnswers: Readonly<Record<ErrorStatus, ErrorAnswer>> = {
  400: {
    name: 'InvalidRequest',
    description:
      'The body is not JSON, a required field is missing, or a value is of the wrong type, out of its range or not supported. `param` names the field at fault. Sent again unchanged, it fails again.',
    examples: {
      missing: example(
        400,
        'A required field is missing',
        errorCodes.missingField,
        "Missing required field 'messages[0].role'.",
        'messages[0].role',
      ),
      range: example(
        400,
        'A value is out of its range',
        'decimal_above_max_value',
        "Invalid 'temperature': expected at most 2, got 2.5.",
        'temperature',
      ),
      unknown: example(400, 'A field is unknown', 'unknown_parameter', "Unknown field 'top_k'.", 'top_k'),
    },
    retryAfter: 'never',
  },
  401: {
    name: 'NotAuthenticated',
    description:
      'There is no key, or it is malformed, wrong or revoked. The only accepted form is `Authorization: Bearer <key>`, with exactly one space.',
    examples: {
      missing: example(401, 'No key', errorCodes.missingApiKey, 'This request carries no API key.'),
      invalid: example(
        401,
        'A wrong, malformed or revoked key',
        errorCodes.invalidApiKey,
        'This API key is not valid.',
      ),
    },
    retryAfter: 'never',
  },
  404: {
    name: 'ModelNotFound',
    description: 'The model does not exist, or the key may not use it: the answers do not differ.',
    examples: {
      model: example(
        404,
        'An unknown model',
        'model_not_found',
        "The model 'svc-9' does not exist or you do not have access to it.",
        'model',
      ),
    },
    retryAfter: 'never',
  },
  429: {
    name: 'RateLimited',
    description:
      'The key is over its limit. Wait at least `Retry-After` seconds; without a positive number there, 1000 ms · 2^n and up to 250 ms of chance before retry n, counted from 0. Bound the attempts (5 are recommended) and the total wait.',
    examples: {
      limit: example(
        429,
        'Over the limit',
        errorCodes.rateLimitExceeded,
        "This key's limit of 600 requests is used up. Retry in 12 s.",
      ),
    },
    retryAfter: 'always',
  },
  500: {
    name: 'ServiceFailure',
    description: 'The service failed. Retry as after a 429 without `Retry-After`.',
    examples: {
      failure: example(500, 'A failure', 'internal_error', 'The service failed to answer this request.'),
    },
    retryAfter: 'never',
  },
  503: {
    name: 'Unavailable',
    description: 'The service is overloaded or under maintenance. Retry as after a 429.',
    examples: {
      overload: example(503, 'Overload', 'service_unavailable', 'The model is not ready yet.'),
    },
    retryAfter: 'sometimes',
  },
}
