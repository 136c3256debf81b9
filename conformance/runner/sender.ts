// Sends requests for the run as a whole: counts them against the run's budget, shows each exchange to whoever
// watches, and obeys a 429 or an enveloped 503, so that no requirement is blamed for a limit.
import { backoffMs, parseRetryAfter } from '../../spec/protocol/retry.ts'
import type { AnswerListener } from '../../harness/http/send-once.ts'
import type { Probe, RequestSpec } from '../../harness/http/probe.ts'
import { type Exchange, header, json } from '../../harness/http/exchange.ts'
import { Inconclusive } from './outcomes.ts'
import { at } from '../../harness/verify/json-value.ts'

/** A request that keeps being refused is sent so often, the first time included. */
export const MAX_ATTEMPTS = 6

/** The most that is waited for one request, in milliseconds. */
export const MAX_WAIT_MS = 90_000

export interface SendOptions {
  readonly signal: AbortSignal
  /** Hears the answer while it arrives. */
  readonly listener?: AnswerListener
  /** Called before and after each wait, so that waits do not count as the case's own time. */
  readonly onWait?: (waiting: boolean) => void
  readonly onExchange?: (exchange: Exchange) => void
}

export interface Sender {
  /**
   * Sends one request and returns the exchange, whatever the status; a 429 or an enveloped 503 is waited out and sent
   * again unless `obey` is false. Throws `Inconclusive` where these do not end or the budget is spent.
   */
  send(request: RequestSpec, options: SendOptions): Promise<Exchange>
  /** Requests sent so far. */
  count(): number
}

export interface SenderOptions {
  readonly probe: Probe
  readonly maxRequests: number
  /** Sees every exchange of the run. */
  readonly onExchange: (exchange: Exchange) => void
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Numbers in [0, 1) for the jitter of waits. */
  readonly random: () => number
  /**
   * The most requests that are begun in a second, and the time in milliseconds. Those that are not to be obeyed go out
   * at once: a limit is exhausted by a burst.
   */
  readonly pace?: { readonly perSecond: number; readonly now: () => number }
}

export function createSender(run: SenderOptions): Sender {
  let sent = 0
  let nextAtMs = 0

  async function once(request: RequestSpec, options: SendOptions): Promise<Exchange> {
    if (sent >= run.maxRequests)
      throw new Inconclusive(`the run's budget of ${run.maxRequests} requests is spent (--max-requests)`)
    sent += 1
    const exchange = await run.probe.send(request, options.signal, options.listener)
    run.onExchange(exchange)
    options.onExchange?.(exchange)
    return exchange
  }

  async function wait(ms: number, options: SendOptions): Promise<void> {
    options.onWait?.(true)
    try {
      await run.sleep(ms, options.signal)
    } finally {
      options.onWait?.(false)
    }
  }

  /** Waits for this request's turn: turns are given in the order of asking, so many in a second. */
  async function pace(options: SendOptions): Promise<void> {
    if (run.pace === undefined) return
    const now = run.pace.now()
    const atMs = Math.max(now, nextAtMs)
    nextAtMs = atMs + 1000 / run.pace.perSecond
    const waitMs = atMs - now
    if (waitMs > 0) await wait(waitMs, options)
  }

  async function send(request: RequestSpec, options: SendOptions): Promise<Exchange> {
    if (request.obey === false) return once(request, options)
    const listener = options.listener && holdingBack(options.listener)
    let waitedMs = 0
    for (let attempt = 0; ; attempt++) {
      await pace(options)
      const exchange = await once(request, listener === undefined ? options : { ...options, listener })
      if (!asksToComeBack(exchange)) {
        listener?.release(exchange)
        return exchange
      }
      const waitMs = waitBefore(exchange, attempt, run.random())
      if (attempt + 1 >= MAX_ATTEMPTS || waitedMs + waitMs > MAX_WAIT_MS)
        throw new Inconclusive(refusedTooLong(exchange, attempt + 1, waitedMs, waitMs))
      await wait(waitMs, options)
      waitedMs += waitMs
    }
  }

  return { send, count: () => sent }
}

/** Returns whether an answer is a 429, or a 503 in the envelope: "come back later", which says nothing of the request. */
export function asksToComeBack(exchange: Exchange): boolean {
  const { status } = exchange.response
  return status === 429 || (status === 503 && at(json(exchange), 'error') !== undefined)
}

/** A listener that hears of a refusal only when it is known that it will not be obeyed. */
function holdingBack(listener: AnswerListener): AnswerListener & { release(exchange: Exchange): void } {
  let held = false
  return {
    head(status, headers) {
      held = status === 429 || status === 503
      if (!held) listener.head(status, headers)
    },
    chunk(bytes) {
      if (!held) listener.chunk(bytes)
    },
    release({ response }) {
      if (!held) return
      listener.head(response.status, response.headers)
      listener.chunk(response.body)
    },
  }
}

/** The wait that an answer asks for, else exponential backoff, in milliseconds. */
function waitBefore(exchange: Exchange, attempt: number, random: number): number {
  const asked = parseRetryAfter(header(exchange, 'retry-after'))
  return asked === undefined ? backoffMs(attempt, random) : Math.ceil(asked * 1000)
}

function refusedTooLong(exchange: Exchange, attempts: number, waitedMs: number, waitMs: number): string {
  const { status } = exchange.response
  const times = attempts === 1 ? 'once' : `${attempts} times`
  const next = Math.round(waitMs / 1000)
  return `the target answered ${status} ${times} in ${Math.round(waitedMs / 1000)} s, and asks for ${next} s more`
}
