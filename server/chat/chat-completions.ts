// POST /v1/chat/completions: a body becomes a request, a request becomes deltas, and deltas become one answer or a
// stream of chunks.
import { parseChatCompletionRequest } from '../../spec/schemas/parse-request.ts'
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import { reportIgnored } from './ignored-parameters.ts'
import { answerTooLarge } from '../engines/answer-size.ts'
import { type AnswerHead, foldCompletion } from './plain-completion.ts'
import type { CountBytes } from './growing-json.ts'
import {
  type Answer,
  type Caller,
  eventStreamAnswer,
  type Exchange,
  jsonPartsAnswer,
  type Operation,
} from '../http/call.ts'
import { ConnectionCut, invalidRequest, toApiError } from '../http/api-error.ts'
import { writeEventStream } from './completion-stream.ts'
import { type Generation, type Generations, isAbandoned } from './generation.ts'
import { type BodyBounds, readJsonBody } from '../http/json-body.ts'
import { refuseCostly, type RequestBounds } from './request-bounds.ts'
import { estimateTokens } from '../engines/token-estimates.ts'
import type { ModelRegistry } from '../models/model-registry.ts'
import type { Logger } from '../http/observability.ts'
import type { UsageRecorder } from '../keys/usage-recorder.ts'
import type { HeldBytes, Unread } from '../http/unread.ts'
import { newId } from '../http/ids.ts'
import { andThen, lastly, orElse, type Soon } from '../http/soon.ts'
import { type AnswerFacts, type Ended, millisecondsSince } from '../http/request-log.ts'

export interface ChatCompletionsOptions {
  readonly models: ModelRegistry
  readonly generations: Generations
  /** The account of the answers that wait for their readers. */
  readonly unread: Unread
  readonly recorder: UsageRecorder
  readonly bounds: BodyBounds & RequestBounds
  /** Ignores and reports members that the format does not know, instead of refusing them. */
  readonly lenient: boolean
  /** Silence in a stream after which a comment is sent. */
  readonly keepAliveMs: number
  readonly rateLimit: { readonly answerTokens: number }
  readonly logger: Logger
  /** Counts the streams that have ended. */
  readonly metrics?: { countStream(model: string, ended: Ended): void } | undefined
}

export function chatCompletions({
  models,
  generations,
  unread,
  recorder,
  bounds,
  lenient,
  keepAliveMs,
  rateLimit,
  logger,
  metrics,
}: ChatCompletionsOptions): Operation {
  function start(
    exchange: Exchange,
    caller: Caller,
    request: ChatCompletionRequest,
    sentMessages: unknown,
  ): Soon<Generation> {
    const { requestId, admission, facts, call, trace } = exchange
    const engine = models.engineFor(caller, request.model)
    facts.model = request.model
    const reserved = admission.reserve(() => estimateTokens(request, rateLimit.answerTokens))
    return andThen(reserved, () =>
      generations.start(engine, request, {
        requestId,
        keyId: caller.id,
        client: call.client,
        traceparent: trace?.traceparent,
        sentMessages,
        lenient,
        onTokens({ total }) {
          facts.tokens = total
          admission.charge(total)
          recorder.countTokens(caller.id, total)
        },
      }),
    )
  }

  function plain(
    exchange: Exchange,
    request: ChatCompletionRequest,
    generation: Generation,
    held: HeldBytes,
  ): Soon<Answer> {
    const { facts } = exchange
    const count = counter(generation, request, held)
    const completion = orElse(
      () =>
        lastly(
          () => foldCompletion(generation.deltas, newHead(request), request.n ?? 1, count),
          () => generation.end(),
        ),
      (error) => {
        generation.abort(error)
        held.end()
        noteEnd(facts, error)
        throw error
      },
    )
    return andThen(completion, (whole) => {
      facts.ended = 'complete'
      return jsonPartsAnswer(exchange, whole, held)
    })
  }

  function streamed(
    exchange: Exchange,
    request: ChatCompletionRequest,
    generation: Generation,
    held: HeldBytes,
  ): Answer {
    const { requestId, facts } = exchange
    facts.stream = true
    const options = {
      head: newHead(request),
      n: request.n ?? 1,
      includeUsage: request.stream_options?.include_usage === true,
      count: counter(generation, request),
      held,
      keepAliveMs,
      onEnd(error: unknown) {
        generation.end()
        const ended = noteEnd(facts, error)
        exchange.end()
        metrics?.countStream(request.model, ended)
        if (ended !== 'failed') return
        const failure = toApiError(error)
        if (failure.status === 500)
          logger.error({ requestId, err: failure.cause ?? failure }, 'stream failed')
      },
    }
    return eventStreamAnswer(exchange, held, (sink) => writeEventStream(generation, options, sink))
  }

  return function chatCompletions(exchange, caller) {
    return andThen(readJsonBody(exchange.call, bounds), (body) => {
      const request = parseRequest(body, bounds, lenient)
      if (lenient) reportIgnored(exchange, body, request)
      const { messages } = body as { messages: unknown }
      return andThen(start(exchange, caller, request, messages), (generation) => {
        if (!generation.isLate) exchange.facts.firstTokenMs = millisecondsSince(exchange.call.arrivedAt)
        const held = unread.open(caller.id)
        return request.stream === true
          ? streamed(exchange, request, generation, held)
          : plain(exchange, request, generation, held)
      })
    })
  }
}

/** An answer is added to the account in steps of this many bytes. */
const HELD_AT_A_TIME = 64 * 1024

/** Counts an answer against the bound of its size and, if it is collected in memory, adds it to the account of its key. */
function counter(
  { maxAnswerBytes }: Generation,
  request: ChatCompletionRequest,
  held?: HeldBytes,
): CountBytes {
  let bytes = 0
  let isHeld = 0
  return (added) => {
    bytes += added
    if (bytes > maxAnswerBytes) throw answerTooLarge(maxAnswerBytes, request)
    if (bytes >= isHeld + HELD_AT_A_TIME) {
      held?.hold(bytes - isHeld)
      isHeld = bytes
    }
  }
}

/** The only tier; it is reported if the request names one (WIRE-25). */
const SERVICE_TIER = 'default'

function newHead({ model, service_tier }: ChatCompletionRequest): AnswerHead {
  const head = { id: newId('chatcmpl-'), created: Math.floor(Date.now() / 1000), model }
  return service_tier == null ? head : { ...head, serviceTier: SERVICE_TIER }
}

/** Records for the log how an answer ended, and returns it; `error` is its failure, if it failed. */
function noteEnd(facts: AnswerFacts, error: unknown): Ended {
  facts.ended = error === undefined ? 'complete' : isAbandoned(error) ? 'client_left' : 'failed'
  if (facts.ended === 'failed') facts.error = error instanceof ConnectionCut ? 'cut' : toApiError(error).code
  return facts.ended
}

/** Validates a body. Throws the 400 that names the field at fault (ERR-8). */
function parseRequest(body: unknown, bounds: RequestBounds, lenient: boolean): ChatCompletionRequest {
  refuseCostly(body, bounds)
  const parsed = parseChatCompletionRequest(body, { lenient })
  if ('request' in parsed) return parsed.request
  const { message, param, code } = parsed.issue
  throw invalidRequest(message, param ?? undefined, code)
}
