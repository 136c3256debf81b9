// The capture between a gateway and a service: it finds the exchange of the other side.
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { connectionOf } from '../../../harness/http/connection.ts'
import { type Exchange, type SentRequest, memoryOf, requestJson } from '../../../harness/http/exchange.ts'
import { at } from '../../../harness/json-value.ts'
import { startCaptureProxy } from '../../exchanges/capture/capture-proxy.ts'
import type { Environment } from '../../contract/settings.ts'

/** The time for the other side of an exchange to be recorded after its answer, in milliseconds. */
const RECORD_MS = 300
const LOOK_MS = 5

export type Recorder = Awaited<ReturnType<typeof startRecorder>>

/** The most exchanges that are kept: a request has its answer long before that number of others have come. */
const MOST_KEPT = 500

/** The most that they hold together, in bytes; the latest one is kept whatever its size. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024

/** Starts the capture on a port of 127.0.0.1. Throws `UsageError` if the port is taken. */
export async function startRecorder(
  upstreamUrl: string,
  port: number,
  environment: Environment,
  onExchange: (exchange: Exchange) => void,
) {
  let kept: Exchange[] = []
  const { origin, end } = await startCaptureProxy(
    upstreamUrl,
    port,
    ({ request, response, timings }) => {
      if (response === null) return
      const exchange = { request, response, timings }
      onExchange(exchange)
      kept = latestOf([...kept.slice(1 - MOST_KEPT), exchange])
    },
    connectionOf(environment).ca,
  )
  return {
    /** The address for the gateway. */
    origin,
    /** Forgets the exchanges of earlier requests. */
    forget: () => void (kept = []),
    /** Whether no exchange has ended since. */
    isEmpty: () => kept.length === 0,
    /**
     * The exchange at the upstream that this request of the client caused; undefined if the gateway answered by itself. If no
     * other request is in flight, the gateway may have changed the messages.
     */
    async otherSide(request: SentRequest, isAlone: () => boolean): Promise<Exchange | undefined> {
      const wanted = messagesOf(request)
      for (const untilMs = performance.now() + RECORD_MS; performance.now() < untilMs; await sleep(LOOK_MS)) {
        const same = kept.findLast((one) => isDeepStrictEqual(messagesOf(one.request), wanted))
        if (same !== undefined) return same
        if (isAlone() && kept.length > 0) return kept.at(-1)
      }
      return undefined
    },
    close: end,
  }
}

/** The latest of these exchanges that are not too large together. */
function latestOf(exchanges: readonly Exchange[]): Exchange[] {
  let bytes = 0
  const tooLarge = exchanges.findLastIndex((one) => (bytes += memoryOf(one)) > MOST_KEPT_BYTES)
  return exchanges.slice(Math.min(tooLarge + 1, exchanges.length - 1))
}

function messagesOf(request: SentRequest): unknown {
  return at(requestJson(request), 'messages') ?? request.method
}
