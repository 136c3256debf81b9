// Judges a service through a gateway: a capture between them records the other side of each exchange, and the same checks
// on that side say who is at fault.
import { serviceAddress } from '../../../harness/cli/flag-values.ts'
import { connectionOf } from '../../../harness/http/connection.ts'
import type { Exchange } from '../../../harness/http/exchange.ts'
import { createProbe } from '../../../harness/http/probe.ts'
import { TransportError } from '../../../harness/http/transport-error.ts'
import type { Redactor } from '../../../harness/secrets/redact.ts'
import { beginReport } from '../../report/begin-report.ts'
import { findService } from '../../exchanges/capture/find-service.ts'
import type { Report } from '../../contract/report.ts'
import type { CheckResult, HopExchange } from '../../contract/result.ts'
import { hideGiven } from '../../contract/environment/given-secrets.ts'
import { type Observer, watch } from '../../contract/observer.ts'
import type { RunEvents } from '../../contract/run-events.ts'
import type { Subject } from '../../contract/subject.ts'
import type { JudgedSubject } from '../../report/build-report.ts'
import { type Settings, settingsOf } from '../../contract/settings.ts'
import { type GatewayOptions, type GatewaySettings, commandLine, gatewaySettings } from './settings.ts'
import { modelsAt, startGateway, untilReady } from './gateway-process.ts'
import { sideAtFault } from './side-at-fault.ts'
import { type Recorder, startRecorder } from './upstream-recorder.ts'
import type { GatewayControl } from './judge.ts'

/** Where checks of servers are run, and their events. */
interface ChecksBehind {
  readonly baseUrl: string
  readonly keyMaker: undefined
  readonly seed: number
  readonly signal: AbortSignal
  readonly events: RunEvents
  /** Sends a request and returns the exchange that is judged. */
  readonly around?: (send: () => Promise<Exchange>) => Promise<Exchange>
}

/** The judge of servers, as far as a gateway in front of one needs it. */
export interface ServerJudge extends Pick<Subject, 'rows' | 'checks'> {
  behind(settings: Settings): {
    readonly observers: readonly Observer[]
    /** The number of selected checks. */
    readonly selected: number
    run(target: ChecksBehind): Promise<Omit<JudgedSubject, 'commandLine'>>
    /** Runs the cases with these ids, one request after the other. */
    runAgain(
      ids: ReadonlySet<string>,
      target: ChecksBehind,
    ): Promise<{ readonly results: readonly CheckResult[] }>
  }
}

/**
 * Judges the rows of profile `wire` through a gateway before the service at `upstream`. Throws `UsageError` if an option
 * cannot be used, the port is taken, or the gateway does not answer in time.
 */
export async function judgeThrough(
  options: GatewayOptions & GatewayControl & { readonly upstreamUrl: string },
  server: ServerJudge,
  redactor: Redactor,
): Promise<Report> {
  const gateway = gatewaySettings(options)
  const given = serviceAddress(options.upstreamUrl, '--upstream')
  const settings = settingsOf({ ...options, baseUrl: gateway.baseUrl, profile: 'wire' })
  const { signal = new AbortController().signal, onFault = () => {} } = options
  redactor.add(gateway.upstreamKey ?? '')
  hideGiven(redactor, settings, given)
  const checks = server.behind(settings)
  const run = beginReport(
    { subject: 'gateway', rows: server.rows('wire'), checks: server.checks, selected: checks.selected },
    settings,
    redactor,
  )
  const through = { options, gateway, given, settings, checks, seed: run.seed }
  return run.finish(await run.contain(signal, onFault, (ends) => judgeBothSides(through, ends)))
}

interface ThroughRun {
  readonly options: GatewayControl
  readonly gateway: GatewaySettings
  /** The address of the service, as it was given. */
  readonly given: string
  readonly settings: Settings
  readonly checks: ReturnType<ServerJudge['behind']>
  readonly seed: number
}

/** Starts the capture and the gateway, runs the checks through both, and stops them. */
async function judgeBothSides(run: ThroughRun, signal: AbortSignal): Promise<JudgedSubject> {
  const { gateway, given, settings, seed } = run
  const { onProgress = () => {}, onUpstream, onBegin } = run.options
  const { observers, run: runChecks, runAgain } = run.checks
  const connection = connectionOf(settings.environment)
  const upstreamUrl = await findService(given, { connection }, signal)
  const facts = { baseUrl: upstreamUrl, profile: 'wire', model: settings.model ?? '' } as const
  // Observers judge the traffic of both sides; checks that send requests are run again if they fail.
  const behind = watch(observers, () => facts, settings)
  const recorder = await startRecorder(upstreamUrl, gateway.listen, settings.environment, (exchange) =>
    behind.see(exchange),
  )
  const started = startGateway(gateway, recorder.origin, gateway.upstreamKey ?? '')
  try {
    onUpstream?.(recorder.origin, undefined)
    await Promise.race([whenItAnswers(gateway, signal), started.ended])
    const target: ChecksBehind = {
      baseUrl: gateway.baseUrl,
      keyMaker: undefined,
      seed,
      signal,
      events: {
        onBegin: ({ model }) => onBegin?.(gateway, model, seed),
        onProgress,
        onFault() {},
      },
    }
    const judged = await runChecks(target)
    const sides: SidesOf = new WeakMap()
    const observed = behind.results()
    const failed = new Set(judged.results.flatMap(({ id, mismatch }) => (mismatch === undefined ? [] : [id])))
    // A gateway that stopped answering would not be reached again.
    const hasEnded = signal.aborted || judged.endedEarly !== undefined
    const again = hasEnded
      ? []
      : (await runAgain(failed, { ...target, around: otherSide(recorder, sides) })).results
    const other = new Map([...observed, ...again].map((result) => [result.id, result]))
    return {
      ...judged,
      results: judged.results.map((result) => attributed(result, other.get(result.id), sides)),
      runs: settings.runs,
      variableOf: settings.credentials.secrets,
      commandLine: (flags) => commandLine(gateway, { upstream: given }, flags),
    }
  } finally {
    await started.stop()
    await recorder.close()
  }
}

/** Both sides of an exchange, by the one that was judged. */
type SidesOf = WeakMap<Exchange, { readonly client: Exchange | undefined; readonly upstream: Exchange }>

/** Sends a request and returns what the upstream sent, if it was asked. */
function otherSide(recorder: Recorder, sides: SidesOf) {
  let inFlight = 0
  return async function sendAndLook(send: () => Promise<Exchange>): Promise<Exchange> {
    // A check may send several requests at once: only its messages then distinguish each.
    if (inFlight === 0) recorder.forget()
    inFlight += 1
    const isAlone = (): boolean => inFlight === 1
    try {
      return await lookAt(send, isAlone)
    } finally {
      inFlight -= 1
    }
  }

  async function lookAt(send: () => Promise<Exchange>, isAlone: () => boolean): Promise<Exchange> {
    const client = await send().catch((error: unknown) => {
      if (error instanceof TransportError) return error
      throw error
    })
    const { request } = client
    const isOpen = recorder.isEmpty()
    const upstream = await recorder.otherSide(request, isAlone)
    const answer = client instanceof TransportError ? undefined : client
    if (upstream !== undefined) {
      // An answer that was open until the client left ended there as it did here.
      const isLeft = isOpen && upstream.response.end === 'hung-up'
      const end = (isLeft ? answer?.response.end : undefined) ?? upstream.response.end
      const exchange = { ...upstream, request, response: { ...upstream.response, end } }
      sides.set(exchange, { client: answer, upstream })
      return exchange
    }
    if (answer === undefined) throw client
    return answer
  }
}

/** The result with the side at fault, and both sides of its evidence; `other` is the result of the upstream. */
function attributed(result: CheckResult, other: CheckResult | undefined, sides: SidesOf): CheckResult {
  if (result.mismatch === undefined) return result
  const evidence = other?.exchanges.at(-1)
  const pair = evidence === undefined ? undefined : sides.get(evidence)
  const client = pair?.client ?? result.exchanges.at(-1)
  // An observer sees the exchanges of the upstream themselves; a case may have been answered by the gateway alone.
  const isObserved = other?.requests === undefined
  const upstream = pair?.upstream ?? (isObserved ? evidence : undefined)
  const hops: HopExchange[] = []
  if (client !== undefined) hops.push({ hop: 'client', request: client.request, exchange: client })
  if (upstream !== undefined) hops.push({ hop: 'upstream', request: upstream.request, exchange: upstream })
  return {
    ...result,
    ...(hops.length === 0 ? {} : { exchanges: [], hops }),
    ...(isRepeated(result, other) && {
      attribution: sideAtFault(result.mismatch, other?.mismatch, { client, upstream }),
    }),
  }
}

/**
 * Whether the second run of a check blames a side. One that could not be judged does not, and neither does one without a failure if
 * the first had other calls in flight (SDK-2): these are never the same again.
 */
function isRepeated({ requirement }: CheckResult, other: CheckResult | undefined): boolean {
  if (other?.outcome === 'inconclusive') return false
  return requirement !== 'SDK-2' || other?.mismatch !== undefined
}

/** Waits until the gateway answers a request, whatever it answers. */
async function whenItAnswers(gateway: GatewaySettings, signal: AbortSignal): Promise<void> {
  const { baseUrl, environment, timeoutMs } = gateway
  const probe = createProbe({ baseUrl, key: '', timeoutMs, connection: connectionOf(environment) })
  const problem = (time: string): string => `the gateway did not answer ${time}`
  try {
    await untilReady(gateway, signal, () => modelsAt(probe, signal), problem)
  } finally {
    probe.close()
  }
}
