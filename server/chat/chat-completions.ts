// POST /v1/chat/completions: a body becomes a request, a request becomes deltas, and deltas become one answer or a
// stream of chunks.
import type { Handler } from 'hono'
import { parseChatCompletionRequest } from '../../spec/schemas/parse-request.ts'
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import { type AnswerHead, foldCompletion } from './completion.ts'
import { type AppEnv, cutConnection, eventStreamAnswer, jsonAnswer } from '../http/context.ts'
import { ConnectionCut, invalidRequest, toApiError } from '../http/errors.ts'
import { eventStream } from './event-stream.ts'
import { type Generations, isAbandoned } from './generation.ts'
import { type BodyBounds, readJsonBody } from '../http/json-body.ts'
import { refuseCostly, type RequestBounds } from './request-bounds.ts'
import { estimateTokens } from '../limits/estimate-tokens.ts'
import type { ModelRegistry } from '../models/model-registry.ts'
import type { Logger } from '../http/observability.ts'
import type { UsageRecorder } from '../keys/usage-recorder.ts'
import { newId } from '../http/ids.ts'
import { type AnswerFacts, millisecondsSince } from '../http/request-log.ts'
import type { Metrics } from '../operations/metrics.ts'

export interface ChatCompletionsOptions {
  readonly models: ModelRegistry
  readonly generations: Generations
  readonly recorder: UsageRecorder
  readonly bounds: BodyBounds & RequestBounds
  /** Silence in a stream after which a comment is sent. */
  readonly keepAliveMs: number
  readonly rateLimit: { readonly answerTokens: number }
  readonly logger: Logger
  readonly metrics?: Metrics | undefined
}

export function chatCompletions({
  models,
  generations,
  recorder,
  bounds,
  keepAliveMs,
  rateLimit,
  logger,
  metrics,
}: ChatCompletionsOptions): Handler<AppEnv> {
  return async function chatCompletions(c) {
    const request = parseRequest(await readJsonBody(c, bounds), bounds)
    const key = c.get('apiKey')
    const engine = models.engineFor(key, request.model)
    const requestId = c.get('requestId')
    const admission = c.get('admission')
    const log = c.get('log')
    log.answer.model = request.model
    await admission.reserve(() => estimateTokens(request, rateLimit.answerTokens))
    const generation = await generations.start(engine, request, {
      requestId,
      keyId: key.id,
      clientSignal: c.req.raw.signal,
      traceparent: log.traceparent,
      onTokens({ total }) {
        log.answer.tokens = total
        admission.charge(total)
        recorder.countTokens(key.id, total)
      },
    })
    log.answer.firstTokenMs = millisecondsSince(log.startedAt)
    const head = newHead(request)
    const n = request.n ?? 1

    if (request.stream !== true) {
      try {
        const completion = await foldCompletion(generation.deltas, head, n)
        log.answer.ended = 'complete'
        return jsonAnswer(c, 200, completion)
      } catch (error) {
        Object.assign(log.answer, endOf(error))
        throw error
      } finally {
        generation.end()
      }
    }
    admission.keep()
    log.keep()
    log.answer.stream = true
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
        Object.assign(log.answer, endOf(error))
        log.end()
        metrics?.countStream(request.model, log.answer.ended ?? 'complete')
        const failure = toApiError(error)
        if (log.answer.ended === 'failed' && failure.status === 500)
          logger.error({ requestId, err: failure.cause ?? failure }, 'stream failed')
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

/** How an answer ended, for the log; `error` is what ended it, if something did. */
function endOf(error: unknown): Pick<AnswerFacts, 'ended' | 'error'> {
  if (error === undefined) return { ended: 'complete' }
  if (isAbandoned(error)) return { ended: 'client_left' }
  return { ended: 'failed', error: error instanceof ConnectionCut ? 'cut' : toApiError(error).code }
}

/** Validates a body. Throws the 400 that names the field at fault (ERR-8). */
function parseRequest(body: unknown, bounds: RequestBounds): ChatCompletionRequest {
  refuseCostly(body, bounds)
  const parsed = parseChatCompletionRequest(body)
  if ('request' in parsed) return parsed.request
  const { message, param, code } = parsed.issue
  throw invalidRequest(message, param ?? undefined, code)
}
