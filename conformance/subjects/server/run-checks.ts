// Reaches a target, discovers what a run needs from the start, and runs the selected checks against it.
import { createHash } from 'node:crypto'
import { caseTimeoutMs, caseWaitMs } from './run/case-clock.ts'
import { everyRowFirst, importantFirst, type Selection, waitingFirst } from './selection.ts'
import { durationOf, estimate } from './cost-estimate.ts'
import { connectionOf } from '../../../harness/http/connection.ts'
import { type KeyMaker, KeyCommandError } from '../../../harness/keys/key-command.ts'
import { settlesWithin } from '../../../harness/waiting.ts'
import { discoverTarget } from '../../facts/discover-target.ts'
import { smallestChats } from '../../facts/listed-models.ts'
import { preflight } from '../../facts/preflight.ts'
import { askRequired } from '../../facts/required-capabilities.ts'
import { createCaptureFile } from '../../exchanges/capture-file.ts'
import { brokenNow, recordedNow } from '../../exchanges/recorded-exchange.ts'
import { createCircuitBreaker } from './run/circuit-breaker.ts'
import { adaptConcurrency } from './run/adaptive-concurrency.ts'
import { otherSecrets } from '../../contract/environment/given-secrets.ts'
import { watch } from '../../contract/observer.ts'
import { secretHeaders } from '../../../harness/secrets/redact.ts'
import { Unreachable } from '../../contract/outcome.ts'
import { INTERRUPTED } from '../../contract/result.ts'
import { type Exchange, headerValues } from '../../../harness/http/exchange.ts'
import { OPEN_AFTER_DONE_MS } from '../../../harness/http/read-body.ts'
import { END_AFTER_DONE_MS } from './cases/streaming/framing.ts'
import { type Probe, type RequestSpec, createProbe } from '../../../harness/http/probe.ts'
import { TransportError } from '../../../harness/http/transport-error.ts'
import { shownAddress } from '../../../harness/http/service-address.ts'
import { runCases } from './run/run-cases.ts'
import { RETURN_MS, createSender } from './run/sender.ts'
import { FAST_PLAN, planOf } from '../../facts/pace.ts'
import { warming } from './run/warm-up.ts'
import type { Settings } from '../../contract/settings.ts'
import { type RunTransport, live } from '../../contract/transport.ts'
import type { RunEvents } from '../../contract/run-events.ts'
import type { TargetFacts } from '../../../harness/target-facts.ts'
import { createTokenBudget, createTokenMeter } from '../../exchanges/token-meter.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'

/** A larger selection measures the pace of the model before it begins. */
const FEW_CASES = 20

/** The longest wait for the pace before the first line of a run, in milliseconds; it applies as soon as it is known. */
const PACE_WAIT_MS = 5_000

/** The most that is read of one answer, and held of all answers that still arrive, in bytes. */
const MOST_BODY_BYTES = 5 * 1024 * 1024
const MOST_OPEN_BYTES = 32 * 1024 * 1024

/**
 * The streams whose end is waited for as long as STREAM-2 allows. A service that ends each of them late would take minutes; the
 * waits after these are short.
 */
const MOST_LATE_ENDS = 12

/** Whether a stream stayed open after its last bytes. */
const endsLate = ({ response, timings }: Exchange): boolean =>
  /^text\/event-stream/i.test(headerValues(response.headers, 'content-type')[0] ?? '') &&
  timings.totalMs - (response.chunks.at(-1)?.atMs ?? Infinity) >= OPEN_AFTER_DONE_MS

export interface ChecksToRun {
  readonly options: Settings
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

/**
 * Runs the selection. Throws `UsageError` if the target cannot be reached or there is no key for it, and the signal's
 * reason if that is aborted before the first check.
 */
export async function runChecks(run: ChecksToRun) {
  const { options, selection, baseUrl, seed, signal, events, around = (send) => send() } = run
  const { clock, connect, ordered } = run.transport ?? live
  const { key, learned } = await mainKey(run)
  const { authHeader } = options
  const facts: TargetFacts = { baseUrl, profile: options.profile, model: options.model ?? '' }
  let known = facts
  let lateEnds = 0
  const direct = createProbe({
    get baseUrl() {
      return known.baseUrl
    },
    key,
    authHeader,
    headers: options.headers,
    timeoutMs: options.timeoutMs,
    openAfterDoneMs: () => (lateEnds < MOST_LATE_ENDS ? END_AFTER_DONE_MS : OPEN_AFTER_DONE_MS),
    transport: connect({
      protocol: new URL(baseUrl).protocol,
      bodies: { most: MOST_BODY_BYTES, mostOpen: MOST_OPEN_BYTES },
      // The judge reaches a server that it started itself directly, never through a proxy.
      connection: options.baseUrl === undefined ? undefined : connectionOf(options.environment),
    }),
  })
  const probe: Probe = { ...direct, send: (...request) => around(() => direct.send(...request)) }
  const capture =
    options.capture === undefined
      ? undefined
      : createCaptureFile(options.capture, shownAddress(baseUrl), {
          flag: '--capture',
          secrets: [key, ...options.credentials.secrets.keys(), ...otherSecrets(options)],
          keep: options.keep,
          headers: secretHeaders(options.headers),
        })
  try {
    const observers = watch(selection.observers, () => known, options, selection.unasked)
    const adaptive = adaptConcurrency()
    let latencyMs = Infinity
    const meter = createTokenMeter()
    const budget = createTokenBudget(options.maxTokensTotal)
    const { now, date } = clock
    const pause = (ms: number): Promise<void> => clock.sleep(ms, signal)
    const breaker = createCircuitBreaker({
      model: () => known.model,
      timeoutMs: options.timeoutMs,
      now,
      pause,
    })
    const { maxMinutes } = options
    const judged =
      maxMinutes === Infinity
        ? waitingFirst(everyRowFirst(selection.cases))
        : importantFirst(selection.cases, options.profile)
    const cases = ordered([...judged, ...selection.traffic])
    let done = 0
    const cold = createSender({
      probe,
      maxRequests: options.maxRequests,
      maxMinutes,
      tokens: budget,
      perSecond: options.requestsPerSecond,
      patienceMs: options.patienceMs,
      onExchange(exchange, by) {
        capture?.write(recordedNow(exchange, by))
        if (endsLate(exchange)) lateEnds += 1
        adaptive.see(exchange)
        latencyMs = Math.min(latencyMs, exchange.timings.firstByteMs)
        meter.see(exchange)
        budget.see(exchange)
      },
      onAnswer: observers.see,
      trial: () => smallestChats(known.model)[0],
      onBroken(cause, by) {
        if (cause instanceof TransportError) capture?.write(brokenNow(cause, by))
        observers.seeBroken(cause, by)
      },
      returnMs: Math.max(RETURN_MS, options.timeoutMs),
      onRefused: (status, waitMs) =>
        events.onProgress(done, cases.length, `the service answered ${status}: waiting`, waitMs),
      sleep: clock.sleep,
      random: seededRandom(seed),
      now,
      date,
      breaker,
      signal,
    })
    const warmUpMs = Math.max(options.warmUpMs, options.timeoutMs)
    let plan = FAST_PLAN
    events.onProgress(0, cases.length, 'reaching the service')
    const first = await preflight({
      baseUrl,
      profile: options.profile,
      key,
      model: options.model,
      timeoutMs: options.timeoutMs,
      warmUpMs,
      ask: (request) => cold.send(request, { signal }),
      pause,
      onFound: (found) => (known = { ...facts, baseUrl: found }),
    })
    known = { ...known, model: first.model }
    plan = planOf(undefined, options.timeoutMs, first.contextTokens)
    const sender = warming(cold, first.model, {
      answered: first.answered,
      timeoutMs: warmUpMs,
      signal,
      onPace: (pace) => (plan = planOf(pace, options.timeoutMs, first.contextTokens)),
    })
    const ask = (request: RequestSpec): Promise<Exchange> => sender.send(request, { signal })
    const target = discoverTarget({
      ...known,
      key,
      authHeader,
      learned: { key: learned, model: first.learned },
      addresses: first.addresses,
      given: options.credentials.keys,
      limit: options.limit,
      token: options.token,
      keyMaker: run.keyMaker,
      plan: () => plan,
      ask,
      randomText: seededText(seed),
    })
    // A few checks may need no answer of the model, and a model may be slow to load.
    const isPaced =
      cases.length <= FEW_CASES || (await settlesWithin(sender.warm(), PACE_WAIT_MS, signal, clock))
    const { requests } = estimate(selection, options.runs).total
    const seconds = isPaced ? durationOf(requests, { ...options, latencyMs, plan }) : undefined
    events.onBegin(known, seed, { requests, seconds, pace: plan.pace })

    const results = await runCases(cases, {
      target,
      sender,
      seed,
      runs: options.runs,
      quick: options.quick,
      clock,
      caseTimeoutMs: caseTimeoutMs(options.timeoutMs),
      caseWaitMs: caseWaitMs(options.patienceMs),
      concurrency: () =>
        adaptive.isLarge() ? 1 : (options.concurrency ?? plan.concurrency ?? adaptive.limit()),
      strict: options.strict,
      profile: options.profile,
      require: options.require,
      signal,
      onStart: ({ id }) => events.onProgress(done, cases.length, id),
      onResult: () => (done += 1),
    })
    const required = await askRequired(options.require, target, signal)
    const interrupted = signal.aborted
    const ended = sender.ended()
    const resultOf = new Map(results.map((result) => [result.id, result]))
    const selected = selection.cases.flatMap(({ id }) => resultOf.get(id) ?? [])
    return {
      target,
      results: [
        ...selected,
        ...observers.results(interrupted ? INTERRUPTED : ended?.message, { isTimeOver: sender.isTimeOver() }),
      ],
      missingCapabilities: required.filter(({ offered }) => offered === false).map(({ name }) => name),
      /** Required and unknown: no answer came, or the budget of the run was spent. */
      unknownCapabilities: required.filter(({ offered }) => offered === undefined).map(({ name }) => name),
      requests: sender.count(),
      tokens: meter.count(),
      /** The run was aborted: checks that were not finished are inconclusive. */
      interrupted,
      ...(ended === undefined
        ? {}
        : { endedEarly: ended.message, isUnreachable: ended instanceof Unreachable }),
    }
  } finally {
    probe.close()
    capture?.close()
  }
}

/** The default key of every request; made with the key command if none was given. */
async function mainKey({ options, keyMaker }: ChecksToRun): Promise<{ key: string; learned: string }> {
  const given = options.credentials.keys.main
  if (given !== undefined) return { key: given, learned: 'CONFORMANCE_API_KEY' }
  if (keyMaker === undefined) {
    if (options.profile === 'wire') return { key: '', learned: 'none was given' }
    throw new UsageError('set CONFORMANCE_API_KEY to a key of the target, or CONFORMANCE_KEY_COMMAND')
  }
  try {
    return { key: (await keyMaker.create()).secret, learned: 'made with the key command' }
  } catch (error) {
    if (error instanceof KeyCommandError) throw new UsageError(error.message)
    throw error
  }
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
