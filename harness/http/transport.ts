// The carrier of prepared requests to a service: sockets, or a bundle that answers in their place.
import http from 'node:http'
import https from 'node:https'
import type { Connection } from './connection.ts'
import type { Exchange, SentRequest } from './exchange.ts'
import type { BodyBounds } from './read-body.ts'
import { type AnswerListener, exchangeOnce } from './send-once.ts'
import { TransportError } from './transport-error.ts'

/** How one request is sent. */
export interface Sending {
  /** Time limit of the whole exchange, in milliseconds. */
  readonly timeoutMs: number
  /** Time limit of the body alone, in milliseconds: then the other one is that of the head. */
  readonly bodyTimeoutMs?: number | undefined
  /** Hang up after this number of pieces of the answer's body. */
  readonly abortAfterChunks?: number | undefined
  /** How long an event stream may stay open and silent after its `[DONE]`, in milliseconds. */
  readonly openAfterDoneMs?: number | undefined
  /** The name of a connection that only requests of this name use. */
  readonly connection?: string | undefined
  readonly signal: AbortSignal
  readonly listener?: AnswerListener | undefined
  /** The id of the check that sends the request; undefined for requests of the run itself. */
  readonly by?: string | undefined
}

export interface Transport {
  /**
   * Sends one request and reads its answer. Throws `TransportError` if no answer came, and the reason of the signal if it is
   * aborted.
   */
  exchange(request: SentRequest, sending: Sending): Promise<Exchange>
  close(): void
}

export interface SocketOptions {
  /** The protocol of the service, for example `https:`. */
  readonly protocol: string
  /** Proxy and certificates. Default: a direct connection. */
  readonly connection?: Connection | undefined
  readonly bodies?: BodyBounds | undefined
  /** The clock of the timings, in milliseconds. Default: `performance.now`. */
  readonly now?: (() => number) | undefined
}

/** Sends requests on kept connections. A request whose pooled connection was dead is sent again on a new one. */
export function socketTransport({ protocol, connection, now, ...options }: SocketOptions): Transport {
  const Agent = protocol === 'https:' ? https.Agent : http.Agent
  const agent = new Agent({ ...connection, keepAlive: true })
  const named = new Map<string, http.Agent>()
  const bodies = { ...options.bodies, open: 0 }

  function agentOf(name: string | undefined): http.Agent {
    if (name === undefined) return agent
    const own = named.get(name) ?? new Agent({ ...connection, keepAlive: true, maxSockets: 1 })
    named.set(name, own)
    return own
  }

  return {
    async exchange(request, sending) {
      const once = { ...sending, bodies, now }
      const answer = await exchangeOnce(request, { ...once, agent: agentOf(sending.connection) })
      if (answer !== 'stale connection') return answer
      const fresh = new Agent({ ...connection })
      const second = await exchangeOnce(request, { ...once, agent: fresh }).catch((error: unknown) => {
        if (!(error instanceof TransportError) || !error.isRefused) throw error
        // The first connection proves that the service was running, so this is not an unreachable service.
        const reason = 'the connection was broken before an answer, and the next one was refused'
        throw new TransportError(reason, request, { cause: error })
      })
      if (second !== 'stale connection') return { ...second, reconnected: true }
      throw new TransportError('the connection was closed before an answer', request)
    },
    close() {
      for (const own of [agent, ...named.values()]) own.destroy()
    },
  }
}
