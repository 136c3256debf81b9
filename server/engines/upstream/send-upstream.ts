// One request to an upstream until the first byte of its answer: retried by the rules RETRY-1 to RETRY-7, bounded in
// attempts and in time, and never after an answer has begun.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { nextRetry, type RetryLimits } from '../../../spec/protocol/retry.ts'
import { ApiError, unavailable } from '../../http/api-error.ts'
import { parseJson } from '../text/parse-json.ts'
import type { UpstreamModel } from './upstream-model.ts'
import { upstreamError } from './upstream-errors.ts'
import { withinSilence } from './upstream-records.ts'

export interface UpstreamBounds {
  readonly retry: RetryLimits
  /** How long an upstream may be silent, before its answer and within it, in milliseconds. */
  readonly silenceMs: number
}

export interface UpstreamExchange {
  readonly upstream: UpstreamModel
  readonly request: ChatCompletionRequest
  /** Its messages as the client wrote them; undefined: those of `request`. */
  readonly sentMessages?: unknown
  /** The headers that identify this request in logs. */
  readonly ids: Readonly<Record<string, string>>
  readonly bounds: UpstreamBounds
  /** Ends the exchange: the attempt in flight, or the wait before the next one. */
  readonly signal: AbortSignal
}

/** The maximum length of a refusal that is read, in bytes. */
const MAX_REFUSAL_BYTES = 64 * 1024

/** Returns the answer of the upstream, whose status is 200. Throws the `ApiError` for our client after a refusal or silence. */
export async function sendUpstream({
  upstream,
  request,
  sentMessages = request.messages,
  ids,
  bounds,
  signal,
}: UpstreamExchange): Promise<Response> {
  const body = JSON.stringify({ ...upstreamRequest(request, upstream), messages: sentMessages }, wellFormed)
  let waitedMs = 0
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await attemptOnce()
    if ('answer' in outcome) return outcome.answer
    // A failed connection is retried like an overload, because the upstream may be restarting.
    const { status = 503, retryAfter, error } = outcome
    const decision = nextRetry({ status, retryAfter, attempt, waitedMs, random: Math.random() }, bounds.retry)
    if ('stop' in decision) throw error
    await sleep(decision.waitMs, undefined, { signal })
    waitedMs += decision.waitMs
  }

  async function attemptOnce(): Promise<Outcome> {
    const attempt = new AbortController()
    const abort = (): void => attempt.abort()
    signal.addEventListener('abort', abort)
    try {
      signal.throwIfAborted()
      return await withinSilence(bounds.silenceMs, abort, 'The model did not answer in time.', async () => {
        const answer = await fetch(`${upstream.baseUrl}/v1/chat/completions`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...ids,
            ...(upstream.apiKey === undefined ? {} : { authorization: `Bearer ${upstream.apiKey}` }),
          },
          body,
          // A redirect is an error, because the key must not be sent to another address.
          redirect: 'error',
          signal: attempt.signal,
        })
        if (answer.status === 200) return { answer }
        const retryAfter = answer.headers.get('retry-after')
        const error = upstreamError(answer.status, await readRefusal(answer), retryAfter, upstream)
        return { status: answer.status, retryAfter, error }
      })
    } catch (cause) {
      signal.throwIfAborted()
      if (cause instanceof ApiError) throw cause
      return { error: unavailable('The model cannot be reached.', 1, cause) }
    }
  }
}

/** The request as the upstream gets it: its own name of the model, and usage always requested (GATE-1, GATE-7). */
function upstreamRequest(request: ChatCompletionRequest, { model }: UpstreamModel): object {
  if (request.stream !== true) return { ...request, model }
  return { ...request, model, stream_options: { ...request.stream_options, include_usage: true } }
}

/** Half of a surrogate pair is not text, and many servers fail on one: it leaves as the replacement character (CHAT-8). */
function wellFormed(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value
}

type Outcome =
  | { readonly answer: Response }
  | { readonly status?: number; readonly retryAfter?: string | null; readonly error: unknown }

async function readRefusal(answer: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size > MAX_REFUSAL_BYTES) break
  }
  return parseJson(Buffer.concat(chunks).toString())
}
