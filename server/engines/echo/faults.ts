// Carries out the faults that a prompt orders from the echo model (FAULTS=on): for people who test their clients.
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCodes } from '../../../spec/protocol/error.ts'
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { ApiError, ConnectionCut, invalidRequest } from '../../http/errors.ts'
import { textOf } from './answer.ts'
import type { Deltas, DeltaSource, Engine } from '../engine.ts'
import { type FaultOrder, FaultOrderError, readFaultOrder } from './fault-order.ts'

const CODES: Readonly<Record<NonNullable<FaultOrder['status']>, string>> = {
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

function orderIn(
  request: ChatCompletionRequest,
): { order: FaultOrder; request: ChatCompletionRequest } | undefined {
  const last = request.messages.findLastIndex(({ role }) => role === 'user')
  const message = request.messages[last]
  if (message?.role !== 'user') return undefined
  try {
    const found = readFaultOrder(textOf(message))
    if (found === undefined) return undefined
    return {
      order: found.order,
      request: { ...request, messages: request.messages.with(last, { ...message, content: found.rest }) },
    }
  } catch (error) {
    if (error instanceof FaultOrderError)
      throw invalidRequest(
        `Invalid fault order: ${error.message}.`,
        `messages[${last}].content`,
        'invalid_value',
      )
    throw error
  }
}

async function* faulty(answer: DeltaSource, order: FaultOrder, signal: AbortSignal): AsyncGenerator<Deltas> {
  if (order.delayMs !== undefined) await sleep(order.delayMs, undefined, { signal })
  if (order.status !== undefined) throw refusal(order.status, order.retryAfter)
  let count = 0
  for await (const deltas of answer) {
    for (const delta of deltas) {
      if (order.stallMs !== undefined && count === (order.stallAt ?? 0))
        await sleep(order.stallMs, undefined, { signal })
      if (order.cutAfter === count) throw new ConnectionCut()
      if (order.errorAfter === count) throw refusal(500, undefined)
      yield [delta]
      count += 1
    }
  }
}

function refusal(status: NonNullable<FaultOrder['status']>, retryAfter: number | undefined): ApiError {
  const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
  return new ApiError(status, CODES[status], 'This failure was ordered by the prompt.', { headers })
}
