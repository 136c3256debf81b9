// Sends the requests of a run: counts them against its budgets, reports each exchange, paces all requests of a key by one
// gate so that no requirement is blamed for a limit, and sends a request again if its connection broke.
import type { RequirementId } from '../../../../spec/catalogue/requirements.ts'
import { backoffMs } from '../../../../spec/protocol/retry.ts'
import type { AnswerListener } from '../../../../harness/http/send-once.ts'
import type { Probe, RequestSpec } from '../../../../harness/http/probe.ts'
import { type Exchange, isCut, json } from '../../../../harness/http/exchange.ts'
import { TransportError } from '../../../../harness/http/transport-error.ts'
import { type Gate, askedWaitMs, createGate } from './gate.ts'
import { Inconclusive, Refused, boundsConnection } from '../../../contract/outcome.ts'
import { at } from '../../../../harness/verify/json-value.ts'
import { type TokenBudget, costOf } from '../../../exchanges/token-meter.ts'

/** The most times that a refused request is sent, including the first. */
export const MAX_ATTEMPTS = 6

/** The wait before a request whose connection broke is sent again, in milliseconds: a process may have to restart. */
const RECONNECT_MS = 250

export interface SendOptions {
  readonly signal: AbortSignal
  /** The id of the check that sends the request. */
  readonly by?: string
  /** Receives the answer while it arrives. */
  readonly listener?: AnswerListener
  /** The row of the check. If it bounds broken connections, one is a failure at once. */
  readonly row?: RequirementId
  /** Called before and after each wait, so that waits do not count as the case's own time. */
  readonly onWait?: (waiting: boolean) => void
  readonly onExchange?: (exchange: Exchange) => void
}

export type Sender = ReturnType<typeof createSender>

export interface SenderOptions {
  readonly probe: Probe
  readonly maxRequests: number
  readonly tokens?: TokenBudget
  /** The longest total wait for one refused request, in milliseconds. */
  readonly patienceMs: number
  /** Called with every exchange of the run and the id of the check that sent the request. */
  readonly onExchange: (exchange: Exchange, by: string | undefined) => void
  /** Called with a request whose connection broke twice before an answer, and with the id of the check that sent it. */
  readonly onBroken?: (error: TransportError, by: string | undefined) => void
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Numbers in [0, 1) for the jitter of waits. */
  readonly random: () => number
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Maximum request rate, in requests per second; a request with `obey: false`, such as one of a burst, is not delayed. */
  readonly perSecond?: number
}

export function createSender(run: SenderOptions) {
  const gates = new Map<string, Gate>()
  let sent = 0
  let nextAtMs = 0

  async function once(request: RequestSpec, options: SendOptions): Promise<Exchange> {
    if (sent >= run.maxRequests)
      throw new Inconclusive(`the run's budget of ${run.maxRequests} requests is spent (--max-requests)`)
    const settle = run.tokens?.reserve(costOf(request))
    sent += 1
    try {
      const exchange = await run.probe.send(request, options.signal, options.listener)
      run.onExchange(exchange, options.by)
      options.onExchange?.(exchange)
      return exchange
    } finally {
      settle?.()
    }
  }

  /** Sends a request, and once more if its connection broke or it timed out: both happen on a healthy deployment. */
  async function answered(request: RequestSpec, options: SendOptions): Promise<Exchange> {
    const { listener, row } = options
    let heard = false
    let isBroken = false
    const listening = listener && {
      listener: {
        head(...head: Parameters<AnswerListener['head']>) {
          heard = true
          listener.head(...head)
        },
        chunk: listener.chunk.bind(listener),
      },
    }
    try {
      const exchange = await once(request, { ...options, ...listening })
      if (!isCut(exchange) || heard || boundsConnection(row)) return exchange
    } catch (error) {
      if (!(error instanceof TransportError) || heard) throw error
      // One late answer may come from a busy service; a request that hangs is late again.
      if (!error.isLate && boundsConnection(row)) throw error
      isBroken = !error.isSilence
    }
    await wait(RECONNECT_MS, options)
    try {
      return await once(request, options)
    } catch (error) {
      if (isBroken && error instanceof TransportError && !error.isSilence) run.onBroken?.(error, options.by)
      throw error
    }
  }

  async function wait(ms: number, options: SendOptions): Promise<void> {
    options.onWait?.(true)
    try {
      await run.sleep(ms, options.signal)
    } finally {
      options.onWait?.(false)
    }
  }

  async function waitUntil(atMs: number, options: SendOptions): Promise<void> {
    const waitMs = atMs - run.now()
    if (waitMs > 0) await wait(waitMs, options)
  }

  /** Waits for the turn of this request: turns are in the order of the calls, at the maximum rate. */
  async function pace(options: SendOptions): Promise<void> {
    if (run.perSecond === undefined) return
    const atMs = Math.max(run.now(), nextAtMs)
    nextAtMs = atMs + 1000 / run.perSecond
    await waitUntil(atMs, options)
  }

  function gateOf({ authorization }: RequestSpec): Gate {
    const key = String(authorization ?? (authorization === null ? 'none' : 'main'))
    const gate = gates.get(key) ?? createGate(run.now, run.random)
    gates.set(key, gate)
    return gate
  }

  /** Waits until the key may be used again, unless that is longer than the remaining patience. */
  async function pass(gate: Gate, patienceMs: number, options: SendOptions): Promise<void> {
    let opensAtMs: number
    do {
      opensAtMs = gate.opensAt()
      if (opensAtMs - run.now() > patienceMs) throw new Refused(tooLong(opensAtMs - run.now()))
      await waitUntil(gate.turn(), options)
      // Another request of the key may have received a longer wait meanwhile.
    } while (gate.opensAt() !== opensAtMs)
  }

  /**
   * Sends one request and returns the exchange, whatever the status. After a 429 or an enveloped 503 it waits and sends
   * the request again, unless `obey` is false. If no answer came, or one that was cut, it sends the request once more.
   * Throws `Inconclusive` if refusals do not end or a budget is spent, and `TransportError` if no answer comes.
   */
  async function send(request: RequestSpec, options: SendOptions): Promise<Exchange> {
    if (request.obey === false) return answered(request, options)
    const listener = options.listener && holdingBack(options.listener)
    const gate = gateOf(request)
    const begunAtMs = run.now()
    for (let attempt = 0; ; attempt++) {
      await pass(gate, run.patienceMs - (run.now() - begunAtMs), options)
      await pace(options)
      const exchange = await answered(request, listener === undefined ? options : { ...options, listener })
      if (!asksToComeBack(exchange)) {
        gate.admitted()
        listener?.release(exchange)
        return exchange
      }
      const spent = spentQuota(exchange)
      if (spent !== undefined)
        throw new Refused(`the quota of the key is spent: the target answered 429, ${spent}`)
      const waitMs = askedWaitMs(exchange, Date.now()) ?? backoffMs(attempt, run.random())
      if (exchange.response.status === 429) gate.limited(waitMs)
      else gate.closed(waitMs)
      const waitedMs = run.now() - begunAtMs
      if (attempt + 1 >= MAX_ATTEMPTS || waitedMs + waitMs > run.patienceMs)
        throw new Refused(refusedTooLong(exchange, attempt + 1, waitedMs, waitMs))
    }
  }

  return {
    send,
    count: () => sent,
    /** Waits, in milliseconds, by the clock of the run. */
    sleep: run.sleep,
  }
}

/** Returns whether an answer is a 429 or a 503 in the envelope: "try later", which says nothing about the request. */
export function asksToComeBack(exchange: Exchange): boolean {
  const { status } = exchange.response
  return status === 429 || (status === 503 && at(json(exchange), 'error') !== undefined)
}

/** The error code of a 429 that no wait ends. */
function spentQuota(exchange: Exchange): string | undefined {
  const { code, type } = Object(at(json(exchange), 'error'))
  return [code, type].find(
    (value) => value === 'insufficient_quota' || value === 'billing_hard_limit_reached',
  )
}

/** Passes a refusal to the listener only if the request is not sent again. */
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

function tooLong(waitMs: number): string {
  return `the target asks for ${Math.round(waitMs / 1000)} s more before it admits this key (--patience)`
}

function refusedTooLong(exchange: Exchange, attempts: number, waitedMs: number, waitMs: number): string {
  const { status } = exchange.response
  const times = attempts === 1 ? 'once' : `${attempts} times`
  const next = Math.round(waitMs / 1000)
  return `the target answered ${status} ${times} in ${Math.round(waitedMs / 1000)} s, and asks for ${next} s more (--patience)`
}
