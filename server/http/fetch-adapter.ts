// Answers fetch requests through the API: those without a socket, as in tests, and those that are unusual.
import type { Context } from 'hono'
import type { Respond } from '../api.ts'
import { ApiError } from './errors.ts'
import type { Answer, Call, Operation, Sink } from './exchange.ts'
import { incompleteBody, tooLarge } from './json-body.ts'

/** What the HTTP server knows of the connection; absent where a request comes without a socket. */
export interface ConnectionBindings {
  readonly outgoing?: { readonly socket: { destroySoon(): void } | null }
}

export interface AppEnv {
  readonly Bindings: ConnectionBindings
}

/** The answer to the request of `c`. */
export async function answerFetch(
  c: Context<AppEnv>,
  respond: Respond,
  operation: Operation,
): Promise<Response> {
  const { status, headers, body } = await respond(fetchCall(c), operation)
  const cut = (): void => c.env.outgoing?.socket?.destroySoon()
  return new Response(typeof body === 'string' ? body : bodyStream(body, cut), {
    status,
    // A plain object: the HTTP server then writes it without building a Headers object.
    headers: Object.fromEntries(
      headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : [])),
    ),
  })
}

/** A fetch request as a call. */
export function fetchCall({ req: { raw, method, path } }: Context): Call {
  return {
    method,
    path,
    header: (name) => raw.headers.get(name) ?? undefined,
    body: (maxBytes) => readBytes(raw, maxBytes),
    client: {
      get hasLeft() {
        return raw.signal.aborted
      },
      onLeave: (listener) => raw.signal.addEventListener('abort', listener),
    },
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes)
  try {
    if (declared !== null) return new Uint8Array(await request.arrayBuffer())
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength
      if (size > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    throw error instanceof ApiError ? error : incompleteBody(error)
  }
}

/** Back-pressure: with this many bytes buffered for a slow reader, the writer is asked to wait. */
const BUFFER_BYTES = 64 * 1024

/** The body that `write` writes. `cut` closes the connection. */
export function bodyStream(
  write: Exclude<Answer['body'], string>,
  cut: () => void,
): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder()
  const left = new AbortController()
  let pulled: (() => void) | undefined

  function sinkOf(controller: ReadableStreamDefaultController<Uint8Array>): Sink {
    const roomLeft = (): number => controller.desiredSize ?? BUFFER_BYTES
    async function room(size: number, signal?: AbortSignal): Promise<void> {
      const ended = (): void => pulled?.()
      signal?.addEventListener('abort', ended)
      while (!left.signal.aborted && signal?.aborted !== true && roomLeft() < size)
        await new Promise<void>((resolve) => (pulled = resolve))
      signal?.removeEventListener('abort', ended)
    }
    return {
      get hasLeft() {
        return left.signal.aborted
      },
      onLeave: (listener) => left.signal.addEventListener('abort', listener),
      write(text) {
        controller.enqueue(bytes.encode(text))
        return roomLeft() > 0
      },
      get isWaiting() {
        return roomLeft() < BUFFER_BYTES
      },
      room: (signal) => room(1, signal),
      end(text) {
        controller.enqueue(bytes.encode(text))
        controller.close()
      },
      cut: () => void room(BUFFER_BYTES).then(() => setImmediate(cut)),
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Not awaited: the stream is readable while it is being written. The writer settles all its errors itself.
        void write(sinkOf(controller))
      },
      pull: () => pulled?.(),
      cancel() {
        left.abort()
        pulled?.()
      },
    },
    { highWaterMark: BUFFER_BYTES, size: (chunk) => chunk.byteLength },
  )
}
