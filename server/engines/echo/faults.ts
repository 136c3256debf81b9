// Carries out the faults that a prompt orders from the echo model (FAULTS=on): for people who test their clients.
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCodes, type ErrorStatus } from '../../../spec/protocol/error.ts'
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { ApiError, ConnectionCut, invalidRequest } from '../../http/api-error.ts'
import { textOf } from './answer.ts'
import type { Deltas, DeltaSource, Engine } from '../engine.ts'
import { type FaultOrder, FaultOrderError, readFaultOrder } from './fault-order.ts'

const CODES: Readonly<Record<ErrorStatus, string>> = {
  400: errorCodes.missingField,
  401: errorCodes.invalidApiKey,
  404: 'model_not_found',
  429: errorCodes.rateLimitExceeded,
  500: 'internal_error',
  503: 'service_unavailable',
}

/** The engine, obeying an order at the beginning of the last user message; what follows the order is the prompt. */
export function withFaults(engine: Engine): Engine {
  return {
    models: engine.models,
    close: () => engine.close(),
    generate(request, context) {
      const found = orderIn(request)
      if (found === undefined) return engine.generate(request, context)
      return faulty(engine.generate(found.request, context), found.order, context.signal)
    },
  }
}

function orderIn(request: ChatCompletionRequest) {
  const last = request.messages.findLastIndex(({ role }) => role === 'user')
  const message = request.messages[last]
  if (message?.role !== 'user') return undefined
  try {
    const found = readFaultOrder(textOf(message))
    if (found === undefined) return undefined
    const messages = request.messages.with(last, { ...message, content: found.rest })
    return { order: found.order, request: { ...request, messages } }
  } catch (error) {
    if (!(error instanceof FaultOrderError)) throw error
    const param = `messages[${last}].content`
    throw invalidRequest(`Invalid fault order: ${error.message}.`, param, 'invalid_value')
  }
}

async function* faulty(answer: DeltaSource, order: FaultOrder, signal: AbortSignal): AsyncGenerator<Deltas> {
  const { status, 'retry-after': retryAfter, delay, stall, at = 0, cut, error } = order
  if (delay !== undefined) await sleep(delay, undefined, { signal })
  if (status !== undefined) throw refusal(status, retryAfter)
  let count = 0
  for await (const deltas of answer) {
    for (const delta of deltas) {
      if (stall !== undefined && count === at) await sleep(stall, undefined, { signal })
      if (cut === count) throw new ConnectionCut()
      if (error === count) throw refusal(500)
      yield [delta]
      count += 1
    }
  }
}

function refusal(status: ErrorStatus, retryAfter?: number): ApiError {
  const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
  return new ApiError(status, CODES[status], 'This failure was ordered by the prompt.', { headers })
}
