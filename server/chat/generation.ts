// Who ends a generation: its client by disconnecting, the clock, or the shutdown. Each generation has one
// abort controller; those in flight are kept here, so that a shutdown can end them after the grace period.
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import type { Deltas, Engine } from '../engines/engine.ts'
import { answerTooLarge, sizeOf } from '../engines/answer-size.ts'
import { type ApiError, unavailable } from '../http/errors.ts'

/** An answer in flight. */
export interface Generation {
  /** All deltas, the first ones included. Fails with what aborted it, where it was aborted with an `ApiError`. */
  readonly deltas: AsyncIterable<Deltas>
  /** Aborts when the work was ended from outside: whoever waits for a reader waits no longer. */
  readonly signal: AbortSignal
  /** Ends the work because nobody waits for it any more. */
  abandon(): void
  /** Must be called once, when the answer is complete or has failed. Safe to call twice. */
  end(): void
}

export interface TokensUsed {
  /** Of prompt and answer; where the engine reported no usage, the number of deltas. */
  readonly total: number
  /** Those of the answer that came after its first deltas, by their share of its text; where usage was reported. */
  readonly afterFirst?: number | undefined
}

export interface GenerationContext {
  readonly requestId: string
  readonly keyId?: string
  /** Aborts when the client disconnects. */
  readonly clientSignal: AbortSignal
  /** As the client sent it; for upstreams. */
  readonly traceparent?: string | undefined
  /** Called once, at the end. */
  readonly onTokens: (used: TokensUsed) => void
}

export interface Generations {
  /**
   * Starts an answer and waits for its first deltas, so that whatever is refused before it can still be answered with
   * its status, also when a stream was asked for (STREAM-10). Throws what the engine throws.
   */
  start(engine: Engine, request: ChatCompletionRequest, context: GenerationContext): Promise<Generation>
  /** Ends all that are in flight; each client gets `reason`. */
  abortAll(reason: ApiError): void
}

const ABANDONED = new DOMException('The client disconnected.', 'AbortError')

/** True of what ended an answer that nobody waits for any more. */
export function isAbandoned(error: unknown): boolean {
  return error === ABANDONED
}

export interface GenerationsOptions {
  /** Bounds a whole answer. */
  readonly timeoutMs: number
  /** The most that an answer may hold, in bytes as `sizeOf` counts them. */
  readonly maxAnswerBytes: number
}

export function createGenerations({ timeoutMs, maxAnswerBytes }: GenerationsOptions): Generations {
  /** By when each has to be done, the oldest first: in milliseconds of `performance.now()`. */
  const inFlight = new Map<AbortController, number>()
  // All have the same time, so one timer, for the oldest, does for all of them.
  let timer: NodeJS.Timeout | undefined

  function endLate(): void {
    timer = undefined
    const now = performance.now()
    for (const [controller, deadline] of inFlight) {
      // A timer may be early by a fraction of a millisecond.
      if (deadline - now >= 1) return void (timer = setTimeout(endLate, deadline - now).unref())
      controller.abort(unavailable(`The answer took longer than ${timeoutMs / 1000} s and was ended.`, 1))
    }
  }

  return {
    async start(engine, request, { requestId, keyId = '', traceparent, clientSignal, onTokens }) {
      const controller = new AbortController()
      const abandon = (): void => controller.abort(ABANDONED)
      let tokens = 0
      let bytes = 0
      let answered: number | undefined
      let firstBytes: number | undefined
      function count(deltas: Deltas): void {
        for (const delta of deltas) {
          if (delta.type === 'usage') {
            tokens = delta.usage.total_tokens
            answered = delta.usage.completion_tokens
          } else if (delta.type !== 'finish') tokens += 1
          bytes += sizeOf(delta)
          if (bytes > maxAnswerBytes) {
            controller.abort(answerTooLarge(maxAnswerBytes))
            controller.signal.throwIfAborted()
          }
        }
        firstBytes ??= bytes
      }
      inFlight.set(controller, performance.now() + timeoutMs)
      timer ??= setTimeout(endLate, timeoutMs).unref()
      clientSignal.addEventListener('abort', abandon)

      function end(): void {
        if (!inFlight.delete(controller)) return
        const share = bytes === 0 ? 0 : 1 - (firstBytes ?? 0) / bytes
        onTokens({ total: tokens, afterFirst: answered && Math.round(answered * share) })
        clientSignal.removeEventListener('abort', abandon)
      }

      try {
        if (clientSignal.aborted) abandon()
        const iterator = engine
          .generate(request, { signal: controller.signal, requestId, keyId, traceparent, maxAnswerBytes })
          [Symbol.asyncIterator]()
        const first = await iterator.next()
        const { signal } = controller
        return { deltas: resume(first, iterator, signal, count), signal, abandon, end }
      } catch (error) {
        end()
        throw abortReason(controller.signal) ?? error
      }
    },
    abortAll(reason) {
      for (const controller of inFlight.keys()) controller.abort(reason)
    },
  }
}

/** The iteration that began with `first`, as a whole again. A plain iterator: a generator around one costs twice. */
function resume(
  first: IteratorResult<Deltas>,
  iterator: AsyncIterator<Deltas>,
  signal: AbortSignal,
  onDeltas: (deltas: Deltas) => void,
): AsyncIterable<Deltas> {
  let begun = false

  async function next(): Promise<IteratorResult<Deltas>> {
    try {
      const step = begun ? await iterator.next() : first
      begun = true
      if (step.done === true) signal.throwIfAborted()
      else onDeltas(step.value)
      return step
    } catch (error) {
      throw abortReason(signal) ?? error
    }
  }

  async function end(): Promise<IteratorResult<Deltas>> {
    await iterator.return?.()
    return { done: true, value: undefined }
  }

  return { [Symbol.asyncIterator]: () => ({ next, return: end }) }
}

/** Why the answer was ended from outside, where it was: an engine's own words for an abort do not matter. */
function abortReason(signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : undefined
}
