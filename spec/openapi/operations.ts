// The operations of the service: their requests, answers and statuses. The OpenAPI document and the page are made from
// this table.
import type { ZodTypeAny } from 'zod'
import type { ErrorStatus } from '../protocol/error.ts'
import type { Examples } from './error-answers.ts'
import { chunks, completion, completionWithCall, model, models, requests } from './examples.ts'
import { chatCompletion, chatCompletionChunk, modelList, modelRecord } from '../schemas/response.ts'
import { chatCompletionRequest } from '../schemas/request.ts'

/** One form of a body. In an event stream each `data:` record but the last, `[DONE]`, holds a value of the schema. */
export interface Content {
  readonly mediaType: 'application/json' | 'text/event-stream'
  readonly schema: ZodTypeAny
  readonly examples: Examples
}

export interface Operation {
  readonly id: 'createChatCompletion' | 'listModels' | 'retrieveModel'
  readonly method: 'get' | 'post'
  /** A path template, for example `/v1/models/{model}`. */
  readonly path: string
  readonly tag: 'Chat' | 'Models'
  readonly summary: string
  readonly description: string
  /** The parameters of the path template, by name. */
  readonly parameters: Readonly<Record<string, { readonly description: string; readonly example: string }>>
  readonly request: Content | null
  /** The answers with status 200, in each of their forms. */
  readonly success: { readonly description: string; readonly contents: readonly Content[] }
  readonly errors: readonly ErrorStatus[]
}

function inJson(schema: ZodTypeAny, examples: Examples): Content {
  return { mediaType: 'application/json', schema, examples }
}

/** Every operation under `/v1`; each of them demands a key. */
export const operations: readonly Operation[] = [
  {
    id: 'createChatCompletion',
    method: 'post',
    path: '/v1/chat/completions',
    tag: 'Chat',
    summary: 'Generate an answer to a conversation',
    description:
      'Takes a list of messages and a model, and answers with what the model generates: as one JSON object or, with `stream`, as an event stream. A field that the model does not support is refused by name, never ignored; so is a member that the format does not know, at any depth. Inside messages such a member is accepted and ignored, because a client sends earlier answers back. `null` in a member that is not required means the same as leaving it out. An error before the first token (400, 401, 404, 429) is a plain JSON answer, even with `stream`; an error after it is one last record with the error object, and no `[DONE]` follows it.',
    parameters: {},
    request: inJson(chatCompletionRequest, {
      plain: { summary: 'One question', value: requests.plain },
      streamed: { summary: 'Streamed, with the usage at the end', value: requests.streamed },
      tools: { summary: 'A tool that has to be called', value: requests.tools },
      'tool-result': { summary: 'The result of a call', value: requests['tool-result'] },
    }),
    success: {
      description:
        'The answer. As an event stream it is one record `data: <chunk>` for each chunk and, at the end, `data: [DONE]`; each record is followed by a blank line, and lines that begin with a colon are comments.',
      contents: [
        inJson(chatCompletion, {
          text: { summary: 'Text', value: completion },
          call: { summary: 'A call', value: completionWithCall },
        }),
        {
          mediaType: 'text/event-stream',
          schema: chatCompletionChunk,
          examples: {
            first: { summary: 'The first chunk of a choice', value: chunks.first },
            text: { summary: 'Text', value: chunks.text },
            finish: { summary: 'The last chunk of a choice', value: chunks.finish },
            usage: { summary: 'The usage, if it was requested', value: chunks.usage },
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
      contents: [inJson(modelList, { one: { summary: 'One model', value: models } })],
    },
    errors: [401, 429, 500, 503],
  },
  {
    id: 'retrieveModel',
    method: 'get',
    path: '/v1/models/{model}',
    tag: 'Models',
    summary: 'Retrieve one model',
    description: 'One model that the key may use. A slash in the id is percent-encoded.',
    parameters: {
      model: { description: 'The id of the model, exactly as it is listed.', example: model.id },
    },
    request: null,
    success: {
      description: 'The model.',
      contents: [inJson(modelRecord, { model: { summary: 'A model', value: model } })],
    },
    errors: [401, 404, 429, 500, 503],
  },
]
