// POST /v1/chat/completions: a body becomes a request, a request becomes deltas, and deltas become one answer or a
// stream of chunks.
import type { Handler } from 'hono'
import { parseChatCompletionRequest } from '../../spec/schemas/parse-request.ts'
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import { type AnswerHead, foldCompletion } from './completion.ts'
import { type AppEnv, cutConnection, eventStreamAnswer, jsonAnswer } from '../http/context.ts'
import { invalidRequest } from '../http/errors.ts'
import { eventStream } from './event-stream.ts'
import type { Generations } from './generation.ts'
import { type BodyBounds, readJsonBody } from '../http/json-body.ts'
import { refuseCostly, type RequestBounds } from './request-bounds.ts'
import type { ModelRegistry } from '../models/model-registry.ts'
import type { Logger } from '../http/observability.ts'
import type { UsageRecorder } from '../keys/usage-recorder.ts'
import { newId } from '../http/ids.ts'

export interface ChatCompletionsOptions {
  readonly models: ModelRegistry
  readonly generations: Generations
  readonly recorder: UsageRecorder
  readonly bounds: BodyBounds & RequestBounds
  /** Silence in a stream after which a comment is sent. */
  readonly keepAliveMs: number
  readonly logger: Logger
}

export function chatCompletions({
  models,
  generations,
  recorder,
  bounds,
  keepAliveMs,
  logger,
}: ChatCompletionsOptions): Handler<AppEnv> {
  return async function chatCompletions(c) {
    const request = parseRequest(await readJsonBody(c, bounds), bounds)
    const key = c.get('apiKey')
    const engine = models.engineFor(key, request.model)
    const requestId = c.get('requestId')
    const admission = c.get('admission')
    const generation = await generations.start(engine, request, {
      requestId,
      keyId: key.id,
      clientSignal: c.req.raw.signal,
      onTokens(tokens) {
        admission.charge(tokens)
        recorder.countTokens(key.id, tokens)
      },
    })
    const head = newHead(request)
    const n = request.n ?? 1

    if (request.stream !== true) {
      try {
        return jsonAnswer(c, 200, await foldCompletion(generation.deltas, head, n))
      } finally {
        generation.end()
      }
    }
    admission.keep()
    const stream = eventStream(generation.deltas, {
      head,
      n,
      includeUsage: request.stream_options?.include_usage === true,
      keepAliveMs,
      signal: generation.signal,
      cut: () => cutConnection(c),
      onCancel: generation.abandon,
      onEnd(error) {
        generation.end()
        admission.end()
        if (error !== undefined) logger.warn({ requestId, err: error }, 'stream failed')
      },
    })
    return eventStreamAnswer(c, stream)
  }
}

/** The only tier there is; whoever asks for one is told so (WIRE-25). */
const SERVICE_TIER = 'default'

function newHead({ model, service_tier }: ChatCompletionRequest): AnswerHead {
  const head = { id: newId('chatcmpl-'), created: Math.floor(Date.now() / 1000), model }
  return service_tier == null ? head : { ...head, serviceTier: SERVICE_TIER }
}

/** Validates a body. Throws the 400 that names the field at fault (ERR-8). */
function parseRequest(body: unknown, bounds: RequestBounds): ChatCompletionRequest {
  refuseCostly(body, bounds)
  const parsed = parseChatCompletionRequest(body)
  if ('request' in parsed) return parsed.request
  const { message, param, code } = parsed.issue
  throw invalidRequest(message, param ?? undefined, code)
}
