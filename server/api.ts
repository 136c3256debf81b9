// The path of every request under /v1, in reading order: its key, its limits, its operation, the envelope of
// failures, one count and one line in the log. Values that are available synchronously cost no promise.
import { cutAnswer, type Answer, errorAnswer, Exchange, type Operation, type Respond } from './http/call.ts'
import { ConnectionCut, toApiError } from './http/api-error.ts'
import { type Logger, requestLine } from './http/observability.ts'
import { andThen, orElse, type Soon } from './http/soon.ts'
import { authenticate } from './keys/authenticate.ts'
import type { KeyStore } from './keys/key-store.ts'
import type { UsageRecorder } from './keys/usage-recorder.ts'
import { type DefaultLimits, limitRate } from './limits/limit-rate.ts'
import type { RateLimiter } from './limits/rate-limiter.ts'
import type { Metrics } from './operations/metrics.ts'

export interface ApiDependencies {
  readonly keys: KeyStore
  readonly recorder: UsageRecorder
  readonly limiter: RateLimiter
  /** The limits of keys without their own. */
  readonly rateLimit: DefaultLimits
  readonly logger: Logger
  /** Absent if metrics are off. */
  readonly metrics?: Metrics | undefined
}

export function createRespond(dependencies: ApiDependencies): Respond {
  const { keys, recorder, limiter, rateLimit, logger, metrics } = dependencies
  const writeLine = requestLine(logger)

  function admit(exchange: Exchange, operation: Operation): Soon<Answer> {
    return andThen(authenticate(keys, exchange.call.header('authorization')), (key) => {
      exchange.key = key
      recorder.countRequest(key.id)
      return andThen(limitRate(limiter, rateLimit, exchange, key), () => operation(exchange, key))
    })
  }

  function refuse(exchange: Exchange, thrown: unknown): Answer {
    if (thrown instanceof ConnectionCut) return cutAnswer(exchange)
    const error = toApiError(thrown)
    // A client that has disconnected reads no answer: its end is not an error of the server.
    if (error.status === 500 && !exchange.call.client.hasLeft)
      logger.error({ requestId: exchange.requestId, err: error.cause ?? error }, 'request failed')
    return errorAnswer(exchange, error)
  }

  function begin(exchange: Exchange, answer: Answer): Answer {
    exchange.facts.status = answer.status
    metrics?.countRequest(exchange.call.path, answer.status)
    if (typeof answer.body === 'string') exchange.end()
    return answer
  }

  return function respond(call, operation) {
    const exchange = new Exchange(call, writeLine)
    const answer = orElse(
      () => admit(exchange, operation),
      (thrown) => refuse(exchange, thrown),
    )
    return andThen(answer, (begun) => begin(exchange, begun))
  }
}
