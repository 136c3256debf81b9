// The probe as a `fetch`, so that the traffic of a client library is recorded byte for byte like every other request.
import type { AnswerListener } from '../../../../harness/http/send-once.ts'
import type { RequestSpec } from '../../../../harness/http/probe.ts'
import type { Exchange } from '../../../../harness/http/exchange.ts'

export type SendStreaming = (
  request: RequestSpec,
  signal: AbortSignal,
  listener: AnswerListener,
) => Promise<Exchange>

const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * Makes a `fetch` for one target. The body of the answer streams; cancelling it, or aborting the request, closes the
 * connection. Throws `TypeError`, as `fetch` does, if no answer comes or if the address is not under `baseUrl`.
 */
export function createFetch(baseUrl: string, send: SendStreaming, signal: AbortSignal): typeof fetch {
  return async function probeFetch(input, init) {
    const request = new Request(input, init)
    if (!request.url.startsWith(`${baseUrl}/`)) throw new TypeError(`${request.url} is not under ${baseUrl}`)
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
    const headers = Object.fromEntries(request.headers)
    const { authorization = null, ...others } = headers
    const spec: RequestSpec = {
      method: request.method,
      path: request.url.slice(baseUrl.length),
      authorization,
      headers: others,
      ...(body === undefined ? {} : { body }),
    }
    return streamed(spec, AbortSignal.any([signal, request.signal]), send)
  }
}

function streamed(spec: RequestSpec, signal: AbortSignal, send: SendStreaming): Promise<Response> {
  return new Promise((resolve, reject) => {
    const hangUp = new AbortController()
    const body = createBody(() => hangUp.abort(new DOMException('the body was cancelled', 'AbortError')))
    const failed = (error: unknown): void => {
      reject(error)
      body.fail(error)
    }
    const listener: AnswerListener = {
      head(status, headers) {
        const init = { status, headers: headers.map(([name, value]): [string, string] => [name, value]) }
        try {
          if (status < 200 || status > 599) throw new RangeError(`status ${status}`)
          resolve(new Response(WITHOUT_BODY.has(status) ? null : body.stream, init))
        } catch (cause) {
          // A status or a header that `fetch` does not accept: its caller gets no answer.
          failed(new TypeError('fetch failed', { cause }))
          hangUp.abort()
        }
      },
      chunk: body.add,
    }
    const end = async (): Promise<void> => {
      const exchange = await send(spec, AbortSignal.any([signal, hangUp.signal]), listener)
      const { end: how } = exchange.response
      if (how === 'complete' || how === 'left-open') body.close()
      else failed(new TypeError(`the answer ended early: ${how}`))
    }
    end().catch((error: unknown) => {
      if (hangUp.signal.aborted) return
      failed(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause: error }))
    })
  })
}

/**
 * The body of an answer. It ends once: by its reader, who cancels it, by its end, or by an error. A connection and its decoder
 * may still emit what they have read by then, so whatever comes after the end has no effect.
 */
function createBody(onCancel: () => void) {
  let open: ReadableStreamDefaultController<Uint8Array> | undefined
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => void (open = controller),
    cancel() {
      open = undefined
      onCancel()
    },
  })
  /** Takes the controller from everything that comes later. */
  function ended(): typeof open {
    const controller = open
    open = undefined
    return controller
  }
  return {
    stream,
    add: (bytes: Uint8Array): void => open?.enqueue(bytes),
    close: (): void => ended()?.close(),
    fail: (error: unknown): void => ended()?.error(error),
  }
}
