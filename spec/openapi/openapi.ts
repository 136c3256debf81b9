// The OpenAPI 3.1 document, made from the operation table and the zod schemas.
import type {
  ContentObject,
  HeaderObject,
  HeadersObject,
  MediaTypeObject,
  OpenAPIObject,
  OperationObject,
  PathItemObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31'
import type { ZodTypeAny } from 'zod'
import { KEY_PREFIX } from '../protocol/key.ts'
import { DONE } from '../protocol/sse.ts'
import { components, names } from './components.ts'
import { type ErrorAnswer, type Examples, errorAnswers } from './error-answers.ts'
import { openApiSchema } from './openapi-schema.ts'
import { type Content, type Operation, operations } from './operations.ts'

const text: SchemaObject = { type: 'string' }
const integer = (minimum: number): SchemaObject => ({ type: 'integer', minimum })

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
      contact: { name: 'The operator of this service' },
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
      schemas: {
        ...Object.fromEntries(
          Object.entries(components).map(([name, schema]) => [name, openApiSchema(schema, names)]),
        ),
        ChatCompletionEvent: chatCompletionEvent,
      },
      responses: Object.fromEntries(
        Object.entries(errorAnswers).map(([status, answer]) => [answer.name, describeError(status, answer)]),
      ),
      headers: {
        'x-request-id': header('Different for every request; identifies it in the logs.', text),
        'x-ratelimit-limit-requests': header('Requests that the key may send in one window.', integer(1)),
        'x-ratelimit-remaining-requests': header('How many of them are left.', integer(0)),
        'x-ratelimit-reset-requests': header('Time until the window ends, for example `12s`.', text),
        'x-ignored-parameters': header(
          'Members of the request that were ignored, for example `top_k, tools[0].cache_control`: only if the service is set to ignore unknown members.',
          text,
        ),
        'WWW-Authenticate': header('The scheme that is accepted.', { ...text, const: 'Bearer' }),
        'Retry-After': header('How long to wait, in seconds.', integer(1)),
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
        schema: text,
        description,
        example,
      })),
    }),
    ...(request !== null && { requestBody: { required: true, content: describeContents([request]) } }),
    responses: {
      200: {
        description: success.description,
        headers: headers([
          'x-request-id',
          ...limitHeaders,
          ...(request === null ? [] : ['x-ignored-parameters']),
        ]),
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
    contents.map(({ mediaType, schema, examples }) => {
      const described = { $ref: `#/components/schemas/${nameOf(schema)}` }
      const isStream = mediaType === 'text/event-stream'
      return [mediaType, isStream ? describeStream(examples) : { schema: described, examples }]
    }),
  )
}

/**
 * Describes a stream by the schema of one event, as tools expect. `itemSchema` of OpenAPI 3.2 is not supported by them
 * yet.
 */
function describeStream(examples: Examples): MediaTypeObject {
  const event = { $ref: '#/components/schemas/ChatCompletionEvent' }
  const shown = Object.entries(examples).map(([name, { summary, value }]) => {
    return [name, { summary, value: { data: JSON.stringify(value) } }]
  })
  const done = { summary: 'The end', value: { data: DONE } }
  return { schema: event, 'x-itemSchema': event, examples: { ...Object.fromEntries(shown), done } }
}

/** A chunk in the form of an event. */
const chunkText = {
  ...text,
  contentMediaType: 'application/json',
  contentSchema: { $ref: '#/components/schemas/ChatCompletionChunk' },
}

const chatCompletionEvent: SchemaObject = {
  type: 'object',
  description: `A record of an event stream, \`data: <chunk>\`; the last one is \`data: ${DONE}\`.`,
  required: ['data'],
  properties: { data: { anyOf: [chunkText, { ...text, const: DONE }] } },
}

function nameOf(schema: ZodTypeAny): string {
  const name = names.get(schema)
  if (name === undefined) throw new RangeError('the schema of an operation is a component')
  return name
}

function describeError(status: string, { description, examples, retryAfter }: ErrorAnswer): ResponseObject {
  return {
    description,
    headers: headers([
      'x-request-id',
      // The limits are those of the key.
      ...(status === '401' ? ['WWW-Authenticate'] : limitHeaders),
      ...(retryAfter === undefined ? [] : ['Retry-After']),
    ]),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples } },
  }
}

function headers(names: readonly string[]): HeadersObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function header(description: string, schema: SchemaObject): HeaderObject {
  return { description, schema }
}
