// Reaches a target, discovers what a run needs from the start, and runs the selected checks against it.
// Whole, because the steps of a run are read in their order, and share its connection and its ends.
import { createHash } from 'node:crypto'
import type { Puppet } from '../../../spec/schemas/puppet.ts'
import type { Exchange } from '../../../harness/http/exchange.ts'
import type { RequestSpec } from '../../../harness/http/probe.ts'
import { TransportError } from '../../../harness/http/transport-error.ts'
import type { KeyMaker } from '../../../harness/keys/key-command.ts'
import { settlesWithin } from '../../../harness/waiting.ts'
import { watch } from '../../contract/observer.ts'
import { Unreachable } from '../../contract/outcome.ts'
import { type CheckResult, INTERRUPTED } from '../../contract/result.ts'
import type { RunEvents } from '../../contract/run-events.ts'
import type { Settings } from '../../contract/settings.ts'
import { type RunTransport, live } from '../../contract/transport.ts'
import { createTokenBudget, createTokenMeter } from '../../exchanges/token-meter.ts'
import { discoverTarget } from '../../facts/discover-target.ts'
import { smallestChats } from '../../facts/listed-models.ts'
import { planOf } from '../../facts/pace.ts'
import { preflight } from '../../facts/preflight.ts'
import { askRequired } from '../../facts/required-capabilities.ts'
import { END_AFTER_DONE_MS } from './cases/streaming/framing.ts'
import { durationOf, estimate } from './cost-estimate.ts'
import { adaptConcurrency } from './run/adaptive-concurrency.ts'
import { caseTimeoutMs, caseWaitMs } from './run/case-clock.ts'
import { createCircuitBreaker } from './run/circuit-breaker.ts'
import { type Connection, connect } from './connect.ts'
import { createKnownWaits } from './run/known-waits.ts'
import { runCases } from './run/run-cases.ts'
import { RETURN_MS, createSender } from './run/sender.ts'
import { warming } from './run/warm-up.ts'
import { type Selection, everyRowFirst, importantFirst, waitingFirst } from './selection.ts'

/** A larger selection measures the pace of the model before it begins. */
const FEW_CASES = 20

/** The longest wait for the pace before the first line of a run, in milliseconds; it applies as soon as it is known. */
const PACE_WAIT_MS = 5_000

export interface ChecksToRun {
  readonly options: Settings
  /** The texts of the model, if they are known. */
  readonly puppet?: Puppet | undefined
  readonly selection: Selection
  readonly baseUrl: string
  readonly keyMaker: KeyMaker | undefined
  readonly seed: number
  readonly signal: AbortSignal
  readonly events: RunEvents
  /** Default: sockets. */
  readonly transport?: RunTransport
  /** Sends a request and returns the exchange that is judged, which may be another than the one that was sent. */
  readonly around?: (send: () => Promise<Exchange>) => Promise<Exchange>
}

/** A run that is connected to its target. */
interface Run
  extends Required<Omit<ChecksToRun, 'around' | 'puppet'>>, Pick<ChecksToRun, 'puppet'>, Connection {
  readonly cases: Selection['cases']
  /** Cases that have ended. */
  done(): number
}

/**
 * Runs the selection. Throws `UsageError` if the target cannot be reached or there is no key for it, and the signal's
 * reason if that is aborted before the first check.
 */
export async function runChecks(given: ChecksToRun) {
  const { transport = live } = given
  const cases = transport.ordered(orderOf(given))
  let done = 0
  const connection = await connect({ ...given, transport })
  const run: Run = { ...given, transport, ...connection, cases, done: () => done }
  try {
    const traffic = watchTraffic(run)
    const reached = await reach(run, traffic)
    const target = discover(run, reached)
    await begin(run, traffic, reached)
    const results = await runCases(cases, {
      ...caseOptions(run, traffic, reached),
      target,
      onStart: ({ id }) => run.events.onProgress(done, cases.length, id),
      onResult: () => (done += 1),
    })
    const required = await askRequired(run.options.require, target, run.signal)
    return { target, ...judged(run, traffic, results), ...capabilities(required) }
  } finally {
    connection.close()
  }
}

/** The cases in the order in which they run, with the requests that observers need. */
function orderOf({ options, selection }: ChecksToRun): Selection['cases'] {
  const judged =
    options.maxMinutes === Infinity
      ? waitingFirst(everyRowFirst(selection.cases))
      : importantFirst(selection.cases, options.profile)
  return [...judged, ...selection.traffic]
}

type Traffic = ReturnType<typeof watchTraffic>

/** Everything that passes between the judge and the target: observed, recorded, counted, and held within the bounds of the run. */
function watchTraffic(run: Run) {
  const { options, selection, seed, signal, events, transport, facts } = run
  const { now, date, sleep } = transport.clock
  const observers = watch(selection.observers, facts, options, selection.unasked)
  const adaptive = adaptConcurrency()
  const meter = createTokenMeter()
  const tokens = createTokenBudget(options.maxTokensTotal)
  const waits = createKnownWaits({
    timeoutMs: options.timeoutMs,
    endAfterDoneMs: END_AFTER_DONE_MS,
    now,
  })
  let latencyMs = Infinity
  const pause = (ms: number): Promise<void> => sleep(ms, signal)
  const model = () => facts().model
  const sender = createSender({
    probe: run.probe,
    maxRequests: options.maxRequests,
    maxMinutes: options.maxMinutes,
    tokens,
    perSecond: options.requestsPerSecond,
    patienceMs: options.patienceMs,
    onExchange(exchange, by) {
      run.record(exchange, by)
      adaptive.see(exchange)
      latencyMs = Math.min(latencyMs, exchange.timings.firstByteMs)
      meter.see(exchange)
      tokens.see(exchange)
    },
    onAnswer: observers.see,
    trial: () => smallestChats(model())[0],
    onBroken(cause, by) {
      if (cause instanceof TransportError) run.record(cause, by)
      observers.seeBroken(cause, by)
    },
    returnMs: Math.max(RETURN_MS, options.timeoutMs),
    onRefused: (status, waitMs) =>
      events.onProgress(run.done(), run.cases.length, `the service answered ${status}: waiting`, waitMs),
    sleep,
    random: seededRandom(seed),
    now,
    date,
    breaker: createCircuitBreaker({ model, timeoutMs: options.timeoutMs, now, pause }),
    waits,
    signal,
  })
  return { observers, adaptive, meter, sender, waits, pause, latencyMs: () => latencyMs }
}

type Reached = Awaited<ReturnType<typeof reach>>

/** Finds the address and the model of the target, and makes the sender that loads the model before the first chat. */
async function reach(run: Run, { sender, pause }: Traffic) {
  const { options, key, signal } = run
  const { profile, model, timeoutMs } = options
  const warmUpMs = Math.max(options.warmUpMs, timeoutMs)
  run.events.onProgress(0, run.cases.length, 'reaching the service')
  const found = await preflight({
    baseUrl: run.baseUrl,
    profile,
    key,
    model,
    timeoutMs,
    warmUpMs,
    ask: (request) => sender.send(request, { signal }),
    pause,
    onFound: (baseUrl) => run.learn({ baseUrl }),
  })
  run.learn({ model: found.model })
  let plan = planOf(undefined, timeoutMs, found.contextTokens)
  const warm = warming(sender, found.model, {
    answered: found.answered,
    timeoutMs: warmUpMs,
    signal,
    onPace: (pace) => (plan = planOf(pace, timeoutMs, found.contextTokens)),
  })
  return { found, sender: warm, plan: () => plan }
}

function discover(run: Run, { found, sender, plan }: Reached) {
  const { options, key, learned, keyMaker, signal } = run
  return discoverTarget({
    ...run.facts(),
    key,
    authHeader: options.authHeader,
    learned: { key: learned, model: found.learned },
    addresses: found.addresses,
    given: options.credentials.keys,
    limit: options.limit,
    token: options.token,
    puppet: run.puppet,
    keyMaker,
    plan,
    ask: (request: RequestSpec): Promise<Exchange> => sender.send(request, { signal }),
    randomText: seededText(run.seed),
  })
}

/** Reports the cost of the run, and how long it takes if the pace of the model is known. */
async function begin(run: Run, { latencyMs }: Traffic, { sender, plan }: Reached): Promise<void> {
  const { options, selection, signal, cases, transport } = run
  // A few checks may need no answer of the model, and a model may be slow to load.
  const isPaced =
    cases.length <= FEW_CASES || (await settlesWithin(sender.warm(), PACE_WAIT_MS, signal, transport.clock))
  const { requests } = estimate(selection, options.runs).total
  const seconds = isPaced
    ? durationOf(requests, { ...options, latencyMs: latencyMs(), plan: plan() })
    : undefined
  run.events.onBegin(run.facts(), run.seed, { requests, seconds, pace: plan().pace })
}

/** The options of every case. */
function caseOptions(
  { options, seed, signal, transport }: Run,
  { adaptive }: Traffic,
  { sender, plan }: Reached,
) {
  const { runs, quick, strict, profile, require, timeoutMs, patienceMs } = options
  return {
    sender,
    seed,
    runs,
    quick,
    clock: transport.clock,
    caseTimeoutMs: caseTimeoutMs(timeoutMs),
    caseWaitMs: caseWaitMs(patienceMs),
    concurrency: () =>
      adaptive.isLarge() ? 1 : (options.concurrency ?? plan().concurrency ?? adaptive.limit()),
    strict,
    profile,
    require,
    signal,
  }
}

/** The results of the selected cases, then those of the observers, and how the run ended. */
function judged(run: Run, { observers, meter, sender, waits }: Traffic, results: readonly CheckResult[]) {
  const interrupted = run.signal.aborted
  const ended = sender.ended()
  const resultOf = new Map(results.map((result) => [result.id, result]))
  return {
    results: [
      ...run.selection.cases.flatMap(({ id }) => resultOf.get(id) ?? []),
      ...observers.results(interrupted ? INTERRUPTED : ended?.message, { isTimeOver: sender.isTimeOver() }),
    ],
    requests: sender.count(),
    tokens: meter.count(),
    shortenedWaits: waits.shortened(),
    /** The run was aborted: checks that were not finished are inconclusive. */
    interrupted,
    ...(ended === undefined
      ? {}
      : { endedEarly: ended.message, isUnreachable: ended instanceof Unreachable }),
  }
}

/** The required capabilities that are not offered, and the unknown ones: no answer came, or the budget of the run was spent. */
function capabilities(required: Awaited<ReturnType<typeof askRequired>>) {
  const named = (wanted: boolean | undefined) =>
    required.filter(({ offered }) => offered === wanted).map(({ name }) => name)
  return { missingCapabilities: named(false), unknownCapabilities: named(undefined) }
}

/** Returns numbers in [0, 1), the same ones in the same order for the same seed. */
function seededRandom(seed: number): () => number {
  let drawn = 0
  return () => {
    drawn += 1
    return createHash('sha256').update(`${seed} number ${drawn}`).digest().readUInt32BE() / 2 ** 32
  }
}

/** Returns unpredictable texts, the same ones in the same order for the same seed. */
function seededText(seed: number): () => string {
  let drawn = 0
  return () => {
    drawn += 1
    return `touchstone ${createHash('sha256').update(`${seed} text ${drawn}`).digest('hex').slice(0, 16)}`
  }
}
