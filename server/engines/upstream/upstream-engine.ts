// Models that another endpoint of the same wire format serves, behind our keys, limits and envelope. Its answer becomes
// deltas like those of any engine, in the strict format, and it never receives keys of our clients.
import type { ChatCompletionRequest } from '../../../spec/schemas/request.ts'
import { estimatePromptTokens } from '../token-estimates.ts'
import { unavailable } from '../../http/api-error.ts'
import type { Deltas, Engine, GenerateContext } from '../engine.ts'
import { completionDeltas, createChunkReader } from './upstream-deltas.ts'
import type { UpstreamModel } from './upstream-model.ts'
import { keepPromises } from './keep-promises.ts'
import { createRecordReader } from './upstream-records.ts'
import { sendUpstream, type UpstreamBounds } from './send-upstream.ts'

export interface UpstreamOptions extends UpstreamBounds {
  /** When the models came to be, in Unix seconds. */
  readonly created: number
  /** Requests to all upstreams in flight at once; more get a 503. */
  readonly concurrency: number
}

export function createUpstreamEngine(models: readonly UpstreamModel[], options: UpstreamOptions): Engine {
  const byId = new Map(models.map((model) => [model.id, model]))
  const closing = new AbortController()
  let inFlight = 0

  async function* generate(request: ChatCompletionRequest, context: GenerateContext): AsyncGenerator<Deltas> {
    const { signal, requestId, traceparent, sentMessages } = context
    const upstream = byId.get(request.model)
    if (upstream === undefined) throw new RangeError(`no upstream serves '${request.model}'`)
    if (inFlight >= options.concurrency)
      throw unavailable('Too many requests to this model are in flight.', 1)
    inFlight += 1
    // Aborts the rest of the exchange when this generator ends.
    const exchange = new AbortController()
    const abort = (): void => exchange.abort()
    for (const source of [signal, closing.signal]) source.addEventListener('abort', abort)
    try {
      if (signal.aborted || closing.signal.aborted) abort()
      const answer = await sendUpstream({
        upstream,
        request,
        sentMessages,
        ids: { 'x-request-id': requestId, ...(traceparent === undefined ? {} : { traceparent }) },
        bounds: options,
        signal: exchange.signal,
      }).catch((error: unknown) => {
        // The prompt counts, because the upstream may have evaluated it before the client disconnected.
        if (signal.aborted) context.countTokens?.(estimatePromptTokens(request))
        throw error
      })
      context.countTokens?.(estimatePromptTokens(request))
      yield* keepPromises(deltasOf(answer, request, upstream, abort), request)
    } finally {
      inFlight -= 1
      for (const source of [signal, closing.signal]) source.removeEventListener('abort', abort)
      abort()
    }
  }

  async function* deltasOf(
    answer: Response,
    request: ChatCompletionRequest,
    upstream: UpstreamModel,
    abort: () => void,
  ): AsyncGenerator<Deltas> {
    const records = createRecordReader(answer, options.silenceMs, abort)
    if (request.stream !== true) {
      yield [...completionDeltas(await records.whole(), request)]
      return
    }
    const chunks = createChunkReader(request, upstream)
    for await (const record of records.events()) {
      const deltas = [...chunks.read(record)]
      if (deltas.length > 0) yield deltas
    }
    const last = [...chunks.end()]
    if (last.length > 0) yield last
  }

  return {
    models: models.map(({ id }) => ({ id, created: options.created, ownedBy: 'upstream' })),
    generate,
    async close() {
      closing.abort()
    },
  }
}
