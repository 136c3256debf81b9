// Sends the requests of a run: counts them against its budgets, reports each exchange, paces all requests of a key by one
// gate so that no requirement is blamed for a limit, and sends a request again if its connection broke.
// Whole, because the path of a request through its budgets, waits and repetitions is read from top to bottom.
import { backoffMs } from '../../../../spec/protocol/retry.ts'
import type { Probe, RequestSpec } from '../../../../harness/http/probe.ts'
import type { Exchange } from '../../../../harness/http/exchange.ts'
import { TransportError } from '../../../../harness/http/transport-error.ts'
import { type Gate, askedWaitMs, createGate } from './gate.ts'
import { Inconclusive, Refused } from '../../../contract/outcome.ts'
import { CHAT_PATH } from '../../../contract/target.ts'
import { type CircuitBreaker, MODELS_PATH } from './circuit-breaker.ts'
import { MOST_PAGES, createGatewayPages, isGatewayPage } from './gateway-pages.ts'
import type { KnownWaits } from './known-waits.ts'
import { createLostKey } from './lost-key.ts'
import { createLane } from './broken/lane.ts'
import { createOutages } from './broken/outages.ts'
import { createRepeat } from './broken/repeat.ts'
import {
  type Refusals,
  asksToComeBack,
  createRefusals,
  holdingBack,
  refusedTooLong,
  spentQuota,
  tooLong,
} from './refusals.ts'
import type { SendOptions } from './send-options.ts'
import type { TokenBudget } from '../../../exchanges/token-meter.ts'

/** The most times that a refused request is sent, including the first. */
export const MAX_ATTEMPTS = 6

export type Sender = ReturnType<typeof createSender>

export interface SenderOptions {
  readonly probe: Probe
  readonly maxRequests: number
  /** The time after which no request is sent, in minutes from now. Default: unlimited. */
  readonly maxMinutes?: number
  readonly tokens?: TokenBudget
  /** The longest total wait for one refused request, in milliseconds. */
  readonly patienceMs: number
  /** Called with every exchange of the run and the id of the check that sent the request. */
  readonly onExchange: (exchange: Exchange, by: string | undefined) => void
  /**
   * Called with a request that breaks its connection each time, or ended the service, and with the id of the check that sent it;
   * with a reason if the service ended, and no request ends it again.
   */
  readonly onBroken?: (cause: TransportError | Inconclusive, by: string | undefined) => void
  /** The time that a service which died has to come back, in milliseconds. Default: ten seconds. */
  readonly returnMs?: number
  /** Called with every exchange that shows something about the target: not with the pages of a limiter before it. */
  readonly onAnswer?: (exchange: Exchange, by: string | undefined) => void
  /** A small chat with the key of the run, which shows whether the key is accepted. Default: that is not asked. */
  readonly trial?: () => RequestSpec
  /** Called with each refusal that is obeyed, and the wait before the request is sent again, in milliseconds. */
  readonly onRefused?: (status: number, waitMs: number) => void
  readonly sleep: (ms: number, signal: AbortSignal, by?: string) => Promise<void>
  /** Numbers in [0, 1) for the jitter of waits. */
  readonly random: () => number
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly date?: () => number
  /** Maximum request rate, in requests per second; a request with `obey: false`, such as one of a burst, is not delayed. */
  readonly perSecond?: number
  /** Left out: a target that fails below HTTP is asked on and on. */
  readonly breaker?: CircuitBreaker
  /** Left out: every answer gets its whole time. */
  readonly waits?: KnownWaits
  /** The signal of the run, which ends its trial requests. */
  readonly signal?: AbortSignal
}

/** The least time that a service which died has to come back, in milliseconds. */
export const RETURN_MS = 10_000

export function createSender(run: SenderOptions) {
  const gates = new Map<string, Gate>()
  const [chats, others] = [createRefusals(run.now), createRefusals(run.now)]
  let sent = 0
  let nextAtMs = 0
  const { maxMinutes = Infinity } = run
  const endsAtMs = run.now() + maxMinutes * 60_000
  let timeOver: Inconclusive | undefined

  /** Throws `Inconclusive` if the time of the run is over after this wait, in milliseconds. */
  function throwIfOver(waitMs = 0): void {
    if (run.now() + waitMs < endsAtMs) return
    timeOver ??= new Inconclusive(`the time of the run, ${maxMinutes} min, is over (--max-minutes)`)
    throw timeOver
  }

  async function once(request: RequestSpec, options: SendOptions): Promise<Exchange> {
    if (run.breaker !== undefined) await waiting(run.breaker.ready(request, tryOnce), options)
    return attempt(request, options, run.waits?.bounded(request))
  }

  /** Sends a trial request of the run. */
  const { signal: runSignal = new AbortController().signal } = run
  const tryOnce = (request: RequestSpec): Promise<Exchange> => attempt(request, { signal: runSignal })
  let answeredAtMs = -Infinity
  const outages = createOutages({
    now: run.now,
    pause: (ms) => run.sleep(ms, runSignal),
    ask: () => tryOnce({ path: MODELS_PATH }),
    returnMs: run.returnMs ?? RETURN_MS,
    onDeath: (cause, by) => run.onBroken?.(cause, by),
  })

  const pages = createGatewayPages(run.now)
  const { trial } = run
  const lostKey = trial && createLostKey({ ask: () => tryOnce(trial()), count: () => sent })

  /** Whether an answer may say nothing about its request. */
  function isDoubted(request: RequestSpec, exchange: Exchange, { row }: SendOptions): boolean {
    if (isGatewayPage(exchange)) return pages.areDoubted()
    return lostKey?.isDoubted(request, exchange, row) ?? false
  }

  /** Sends a request once, in the form `bounded`; a trial always gets its whole time. */
  async function attempt(request: RequestSpec, options: SendOptions, bounded = request): Promise<Exchange> {
    throwIfOver()
    if (sent >= run.maxRequests)
      throw new Inconclusive(`the run's budget of ${run.maxRequests} requests is spent (--max-requests)`)
    const settle = run.tokens?.reserve(request)
    sent += 1
    const sentAtMs = run.now()
    try {
      const exchange = await run.probe.send(bounded, options.signal, options.listener, options.by)
      run.breaker?.count(request, sentAtMs, exchange)
      answeredAtMs = run.now()
      outages.answered(sentAtMs)
      run.onExchange(exchange, options.by)
      const isShort = run.waits?.ended(request, sentAtMs, exchange) === true
      if (!isShort && !isDoubted(request, exchange, options)) run.onAnswer?.(exchange, options.by)
      options.onExchange?.(exchange)
      return exchange
    } catch (error) {
      // The head came, in a form that the parser of HTTP refuses: some row judges that.
      if (error instanceof TransportError && error.received) run.onAnswer?.(error.received, options.by)
      if (error instanceof TransportError && !outages.waitsFor(error))
        run.breaker?.count(request, sentAtMs, error)
      if (error instanceof TransportError) run.waits?.ended(request, sentAtMs, error)
      throw error
    } finally {
      settle?.()
    }
  }

  async function waiting(promise: Promise<void>, options: SendOptions): Promise<void> {
    options.onWait?.(true)
    try {
      await promise
    } finally {
      options.onWait?.(false)
    }
  }

  const wait = (ms: number, options: SendOptions): Promise<void> =>
    waiting(run.sleep(ms, options.signal, options.by), options)

  const repeated = createRepeat({
    once,
    wait,
    lane: createLane(),
    outages,
    answeredAtMs: () => answeredAtMs,
    now: run.now,
  })

  /** Sends a request, and once more if no answer came. Throws `Inconclusive` if the last one was not waited for in full. */
  async function answered(request: RequestSpec, options: SendOptions): Promise<Exchange> {
    const exchange = await repeated(request, options).catch((error: object) => {
      run.waits?.throwIfShort(request, error)
      throw error
    })
    run.waits?.throwIfShort(request, exchange)
    return exchange
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

  function gateOf(key: string): Gate {
    const gate = gates.get(key) ?? createGate(run.now, run.random)
    gates.set(key, gate)
    return gate
  }

  /** A service may admit requests that cost little, and refuse every chat. */
  const refusalsOf = ({ path }: RequestSpec): Refusals => (path.startsWith(CHAT_PATH) ? chats : others)

  /** Waits until the key may be used again. Returns that wait, in milliseconds, if it is longer than the patience. */
  async function pass(gate: Gate, patienceMs: number, options: SendOptions): Promise<number | undefined> {
    let opensAtMs: number
    do {
      opensAtMs = gate.opensAt()
      throwIfOver(opensAtMs - run.now())
      if (opensAtMs - run.now() > patienceMs) return opensAtMs - run.now()
      await waitUntil(gate.turn(), options)
      // Another request of the key may have received a longer wait meanwhile.
    } while (gate.opensAt() !== opensAtMs)
    return undefined
  }

  /**
   * Sends one request and returns the exchange, whatever the status. After a 429 or an enveloped 503 it waits and sends
   * the request again, unless `obey` is false. If no answer came, or one that was cut, it sends the request once more.
   * Throws `Inconclusive` if refusals do not end or a budget is spent, and `TransportError` if no answer comes.
   */
  async function send(request: RequestSpec, options: SendOptions): Promise<Exchange> {
    lostKey?.throwIfEnded(request, options.row)
    if (request.obey !== false) return obeying(request, options)
    const exchange = await answered(request, options)
    await judgeKey(request, exchange, options)
    return exchange
  }

  /** Throws `Refused` if the answer shows that the key of the run is no longer accepted. */
  async function judgeKey(request: RequestSpec, exchange: Exchange, options: SendOptions): Promise<void> {
    if (lostKey?.isDoubted(request, exchange, options.row) === true) {
      await lostKey.throwIfLost(exchange)
      run.onAnswer?.(exchange, options.by)
    }
    lostKey?.see(request, exchange)
  }

  /** Sends a request, and again when a limit allows it. */
  async function obeying(request: RequestSpec, options: SendOptions): Promise<Exchange> {
    const listener = options.listener && holdingBack(options.listener)
    const { authorization } = request
    const key = String(authorization ?? (authorization === null ? 'none' : 'main'))
    const gate = gateOf(key)
    const own = refusalsOf(request)
    const begunAtMs = run.now()
    const giveUp = (reason: string): never => {
      own.gaveUp(options.by)
      throw new Refused(reason)
    }
    for (let tries = 0; ; tries++) {
      own.throwIfEnded(key, options.by)
      const closedMs = await pass(gate, run.patienceMs - (run.now() - begunAtMs), options)
      if (closedMs !== undefined) giveUp(tooLong(closedMs))
      await pace(options)
      const exchange = await answered(request, listener === undefined ? options : { ...options, listener })
      if (isGatewayPage(exchange) && pages.areDoubted()) {
        const waitMs = pages.waitMs(tries, run.random())
        gate.limited(waitMs)
        run.onRefused?.(exchange.response.status, waitMs)
        if (tries + 1 < MOST_PAGES) continue
        await wait(waitMs, options)
        if (isGatewayPage(await tryOnce({ path: MODELS_PATH }))) giveUp(pages.reason(exchange, tries + 1))
        pages.isReal()
        gate.dropGap()
        run.onAnswer?.(exchange, options.by)
        listener?.release(exchange)
        return exchange
      }
      if (!asksToComeBack(exchange)) {
        await judgeKey(request, exchange, options)
        pages.answered(tries)
        gate.admitted()
        own.admitted(key, exchange, tries > 0)
        listener?.release(exchange)
        return exchange
      }
      const spent = spentQuota(exchange)
      if (spent !== undefined) giveUp(`the quota of the key is spent: the target answered 429, ${spent}`)
      const askedMs = askedWaitMs(exchange, run.date?.() ?? Date.now())
      const waitMs = askedMs ?? backoffMs(tries, run.random())
      if (own.refused(key, exchange, askedMs)) gate.dropGap()
      else if (exchange.response.status === 429) gate.limited(waitMs)
      else gate.closed(waitMs)
      const waitedMs = run.now() - begunAtMs
      if (tries + 1 >= MAX_ATTEMPTS || waitedMs + waitMs > run.patienceMs)
        giveUp(refusedTooLong(exchange, tries + 1, waitedMs, waitMs))
      run.onRefused?.(exchange.response.status, waitMs)
    }
  }

  const ended = (): Inconclusive | undefined =>
    outages.gone() ?? run.breaker?.open() ?? lostKey?.ended() ?? chats.ended() ?? others.ended() ?? timeOver

  return {
    send,
    count: () => sent,
    /** Why some requests are no longer sent: the target does not answer them, or refuses all of them. */
    ended,
    /** Whether the run ended because its time was over, and for no other reason. */
    isTimeOver: (): boolean => timeOver !== undefined && ended() === timeOver,
    /** Why no request is sent any more. */
    dead: (): Inconclusive | undefined =>
      outages.gone() ?? run.breaker?.dead() ?? (run.now() >= endsAtMs ? timeOver : undefined),
    /** Waits, in milliseconds, by the clock of the run. */
    sleep: run.sleep,
    now: run.now,
  }
}
