// Carries out the faults that a prompt orders from the echo model (FAULTS=on): for people who test their clients.
import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionCut } from '../http/api-error.ts'
import { orderedFailure } from './ordered-failures.ts'
import { textOf } from '../engines/echo/echo-answer.ts'
import type { Deltas, DeltaSource, Engine } from '../engines/engine.ts'
import { type FaultOrder, readFaultOrder } from './fault-order.ts'

/** Waits for a time in milliseconds. Rejects when the signal aborts. */
type Pause = (ms: number, signal: AbortSignal) => Promise<void>

const sleepFor: Pause = (ms, signal) => sleep(ms, undefined, { signal })

/** The engine with an order at the beginning of the last user message; the text after the order is the prompt. */
export function withFaults(engine: Engine, pause: Pause = sleepFor): Engine {
  return {
    models: engine.models,
    close: () => engine.close(),
    generate(request, context) {
      const last = request.messages.findLastIndex(({ role }) => role === 'user')
      const message = request.messages[last]
      const found = readFaultOrder(textOf(message), `messages[${last}].content`)
      if (message?.role !== 'user' || found === undefined) return engine.generate(request, context)
      const messages = request.messages.with(last, { ...message, content: found.rest })
      return faulty(engine.generate({ ...request, messages }, context), found.order, context.signal, pause)
    },
  }
}

async function* faulty(
  answer: DeltaSource,
  order: FaultOrder,
  signal: AbortSignal,
  pause: Pause,
): AsyncGenerator<Deltas> {
  const { status, 'retry-after': retryAfter, delay, stall, at = 0, cut, error } = order
  if (delay !== undefined) await pause(delay, signal)
  if (status !== undefined) throw orderedFailure(status, retryAfter)
  let count = 0
  for await (const deltas of answer) {
    for (const delta of deltas) {
      if (stall !== undefined && count === at) await pause(stall, signal)
      if (cut === count) throw new ConnectionCut()
      if (error === count) throw orderedFailure(500)
      yield [delta]
      count += 1
    }
  }
}
