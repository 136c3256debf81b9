// The OpenAPI 3.1 document, made from the operation table and the zod schemas.
import type {
  ContentObject,
  HeaderObject,
  HeadersObject,
  OpenAPIObject,
  OperationObject,
  PathItemObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31'
import type { ZodTypeAny } from 'zod'
import { errorEnvelope } from '../protocol/error.ts'
import { KEY_PREFIX } from '../protocol/key.ts'
import * as messages from '../schemas/message.ts'
import { type ErrorAnswer, errorAnswers } from './error-answers.ts'
import { openApiSchema } from './openapi-schema.ts'
import { type Content, type Operation, operations } from './operations.ts'
import { chatCompletionRequest } from '../schemas/request.ts'
import * as responses from '../schemas/response.ts'
import * as settings from '../schemas/settings.ts'
import * as tools from '../schemas/tool.ts'

/** What is described once and referred to by name. */
const components: Readonly<Record<string, ZodTypeAny>> = {
  ChatCompletionRequest: chatCompletionRequest,
  Message: messages.message,
  DeveloperMessage: messages.developerMessage,
  SystemMessage: messages.systemMessage,
  UserMessage: messages.userMessage,
  AssistantMessage: messages.assistantMessage,
  ToolMessage: messages.toolMessage,
  FunctionMessage: messages.functionMessage,
  TextPart: messages.textPart,
  ImagePart: messages.imagePart,
  AudioPart: messages.audioPart,
  FilePart: messages.filePart,
  RefusalPart: messages.refusalPart,
  CacheBreakpoint: messages.cacheBreakpoint,
  ToolCall: messages.toolCall,
  FunctionToolCall: messages.functionToolCall,
  CustomToolCall: messages.customToolCall,
  Tool: tools.tool,
  FunctionTool: tools.functionTool,
  CustomTool: tools.customTool,
  AnyTextFormat: tools.anyTextFormat,
  GrammarFormat: tools.grammarFormat,
  ToolChoice: tools.toolChoice,
  FunctionToolChoice: tools.functionToolChoice,
  CustomToolChoice: tools.customToolChoice,
  AllowedToolsChoice: tools.allowedToolsChoice,
  ResponseFormat: settings.responseFormat,
  TextFormat: settings.textFormat,
  JsonObjectFormat: settings.jsonObjectFormat,
  JsonSchemaFormat: settings.jsonSchemaFormat,
  ChatCompletion: responses.chatCompletion,
  ChatCompletionChunk: responses.chatCompletionChunk,
  FinishReason: responses.finishReason,
  TokenLogprob: responses.tokenLogprob,
  Usage: responses.usage,
  Model: responses.modelRecord,
  ModelList: responses.modelList,
  Error: errorEnvelope,
}

const names = new Map(Object.entries(components).map(([name, schema]) => [schema, name]))

/** The document; the same each time. */
export function createOpenApiDocument(): OpenAPIObject {
  const paths: Record<string, PathItemObject> = {}
  for (const operation of operations)
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describeOperation(operation) }

  return {
    openapi: '3.1.0',
    info: {
      title: 'Touchstone',
      version: '0.1.0',
      description:
        'Chat completions in the widely used wire format. Client libraries for the chat completions format work with this service unchanged: they need its address with `/v1` as their base address, an API key, and the id of a model that is listed.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that this document comes from.' }],
    tags: [
      { name: 'Chat', description: 'Answers to conversations.' },
      { name: 'Models', description: 'What can answer.' },
    ],
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: mapValues(components, (schema): SchemaObject => openApiSchema(schema, names)),
      responses: Object.fromEntries(
        Object.values(errorAnswers).map((answer) => [answer.name, describeError(answer)]),
      ),
      headers: {
        'x-request-id': header('Different for every request; tells it apart in the logs.', {
          type: 'string',
        }),
        'x-ratelimit-limit-requests': header('Requests that the key may send in one window.', {
          type: 'integer',
          minimum: 1,
        }),
        'x-ratelimit-remaining-requests': header('How many of them are left.', {
          type: 'integer',
          minimum: 0,
        }),
        'x-ratelimit-reset-requests': header('Until the window ends, as `12s`.', { type: 'string' }),
        'Retry-After': header('How long to wait, in seconds.', { type: 'integer', minimum: 1 }),
      },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: `${KEY_PREFIX}…`,
          description: `A key of the service; it begins with \`${KEY_PREFIX}\`. Keys are created and revoked on the dashboard, and are for servers only.`,
        },
      },
    },
  }
}

function describeOperation(operation: Operation): OperationObject {
  const { id, tag, summary, description, parameters, request, success, errors } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(Object.keys(parameters).length > 0 && {
      parameters: Object.entries(parameters).map(([name, { description, example }]) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
        description,
        example,
      })),
    }),
    ...(request !== null && { requestBody: { required: true, content: describeContents([request]) } }),
    responses: {
      200: {
        description: success.description,
        headers: headers(['x-request-id', ...limitHeaders]),
        content: describeContents(success.contents),
      },
      ...Object.fromEntries(
        errors.map((status) => [status, { $ref: `#/components/responses/${errorAnswers[status].name}` }]),
      ),
    },
  }
}

const limitHeaders = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
]

function describeContents(contents: readonly Content[]): ContentObject {
  return Object.fromEntries(
    contents.map(({ mediaType, schema, examples }) => [
      mediaType,
      { schema: { $ref: `#/components/schemas/${nameOf(schema)}` }, examples },
    ]),
  )
}

function nameOf(schema: ZodTypeAny): string {
  const name = names.get(schema)
  if (name === undefined) throw new RangeError('the schema of an operation is a component')
  return name
}

function describeError({ description, examples, retryAfter }: ErrorAnswer): ResponseObject {
  return {
    description,
    headers: headers(['x-request-id', ...(retryAfter === 'never' ? [] : ['Retry-After'])]),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples } },
  }
}

function headers(names: readonly string[]): HeadersObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function header(description: string, schema: SchemaObject): HeaderObject {
  return { description, schema }
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}
