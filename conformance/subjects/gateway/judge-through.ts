// Judges a service through a gateway: a capture between them records the other side of each exchange, and the same checks
// on that side say who is at fault.
import { setTimeout as sleep } from 'node:timers/promises'
import { rootAddress } from '../../../harness/cli/flag-values.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { connectionOf } from '../../../harness/http/connection.ts'
import type { Exchange } from '../../../harness/http/exchange.ts'
import { createProbe } from '../../../harness/http/probe.ts'
import { TransportError } from '../../../harness/http/transport-error.ts'
import type { Redactor } from '../../../harness/redact.ts'
import { type Catalogue, type Selection, select } from '../server/selection.ts'
import { beginReport } from '../../report/begin-report.ts'
import type { Report } from '../../contract/report.ts'
import type { CheckResult, HopExchange } from '../../contract/result.ts'
import { watch } from '../../contract/observer.ts'
import { type JudgeOptions, judgeTarget } from '../server/run-checks.ts'
import { type Settings, settingsOf } from '../../contract/settings.ts'
import { rowsOf } from '../../contract/verdict.ts'
import { type GatewayOptions, commandLine, gatewaySettings } from './settings.ts'
import { startGateway } from './gateway-process.ts'
import { sideAtFault } from './side-at-fault.ts'
import { type Recorder, startRecorder } from './upstream-recorder.ts'
import type { GatewayControl } from './judge.ts'

/** The interval between two tries to reach the gateway, in milliseconds. */
const TRY_AGAIN_MS = 250

/**
 * Judges the rows of profile `wire` through a gateway before the service at `upstream`. Throws `UsageError` if an option
 * cannot be used, the port is taken, or the gateway does not answer in time.
 */
export async function judgeThrough(
  options: GatewayOptions & GatewayControl & { readonly upstreamUrl: string },
  catalogue: Catalogue,
  redactor: Redactor,
): Promise<Report> {
  const gateway = gatewaySettings(options)
  const upstreamUrl = rootAddress(options.upstreamUrl, '--upstream')
  const settings = settingsOf({ ...options, baseUrl: gateway.baseUrl, profile: 'wire' })
  const { signal = new AbortController().signal, onProgress = () => {}, onUpstream, onBegin } = options
  const secrets = [...settings.credentials.secrets.keys(), gateway.upstreamKey ?? '']
  for (const secret of secrets) redactor.add(secret)
  for (const [name, value] of Object.entries(settings.headers)) redactor.addHeader(name, value)
  const selection = select(catalogue, settings)
  const run = beginReport(
    {
      subject: 'gateway',
      rows: rowsOf('wire'),
      checks: [...catalogue.cases, ...catalogue.observers],
      selected: selection.cases.length + selection.observers.length,
    },
    settings,
    redactor,
  )
  const facts = { baseUrl: upstreamUrl, profile: 'wire', model: settings.model ?? '' } as const
  // Observers judge the traffic of both sides; checks that send requests are run again if they fail.
  const behind = watch(selection.observers, () => facts, { strict: settings.strict })
  const recorder = await startRecorder(upstreamUrl, gateway.listen, settings.environment, (exchange) =>
    behind.see(exchange),
  )
  const started = startGateway(gateway.command, gateway.environment, {
    url: recorder.origin,
    key: gateway.upstreamKey ?? '',
  })
  try {
    onUpstream?.(recorder.origin, undefined)
    await Promise.race([whenItAnswers(gateway, signal), started.ended])
    const target: Omit<JudgeOptions, 'selection' | 'options'> = {
      baseUrl: gateway.baseUrl,
      keyMaker: undefined,
      seed: run.seed,
      signal,
      events: {
        onBegin: ({ model }) => onBegin?.(gateway, model, run.seed),
        onProgress,
        onFault() {},
      },
    }
    const judged = await judgeTarget({ ...target, options: settings, selection })
    const sides: SidesOf = new WeakMap()
    const observed = behind.results()
    const failed = new Set(judged.results.flatMap(({ id, mismatch }) => (mismatch === undefined ? [] : [id])))
    const cases = selection.cases.filter(({ id }) => failed.has(id))
    const again =
      cases.length === 0 || signal.aborted
        ? []
        : await judgeOtherSide(cases, recorder, sides, { ...target, options: settings })
    const other = new Map([...observed, ...again].map((result) => [result.id, result]))
    return run.finish({
      ...judged,
      results: judged.results.map((result) => attributed(result, other.get(result.id), sides)),
      runs: settings.runs,
      variableOf: settings.credentials.secrets,
      commandLine: (flags) => commandLine(gateway, { upstream: upstreamUrl }, flags),
    })
  } finally {
    await started.stop()
    await recorder.close()
  }
}

/** Both sides of an exchange, by the one that was judged. */
type SidesOf = WeakMap<Exchange, { readonly client: Exchange | undefined; readonly upstream: Exchange }>

/** Runs cases again, one request after the other, on what the upstream sent; returns their results. */
async function judgeOtherSide(
  cases: Selection['cases'],
  recorder: Recorder,
  sides: SidesOf,
  target: Omit<JudgeOptions, 'selection'>,
): Promise<readonly CheckResult[]> {
  const { results } = await judgeTarget({
    ...target,
    options: { ...target.options, concurrency: 1, capture: undefined },
    selection: { cases, observers: [], traffic: [] },
    events: { ...target.events, onBegin() {} },
    around: async (send) => {
      recorder.forget()
      const client = await send().catch((error: unknown) => {
        if (error instanceof TransportError) return error
        throw error
      })
      const { request } = client
      const upstream = await recorder.otherSide(request)
      const answer = client instanceof TransportError ? undefined : client
      if (upstream !== undefined) {
        const exchange = { ...upstream, request }
        sides.set(exchange, { client: answer, upstream })
        return exchange
      }
      if (answer === undefined) throw client
      return answer
    },
  })
  return results
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
    attribution: sideAtFault(result.mismatch, other?.mismatch, { client, upstream }),
  }
}

/** Waits until the gateway answers a request, whatever it answers. */
async function whenItAnswers(
  { baseUrl, warmUpMs, environment, timeoutMs }: Settings & { readonly baseUrl: string },
  signal: AbortSignal,
): Promise<void> {
  const probe = createProbe({ baseUrl, key: '', timeoutMs, connection: connectionOf(environment) })
  try {
    for (const untilMs = performance.now() + warmUpMs; performance.now() < untilMs;) {
      try {
        await probe.send({ path: '/v1/models' }, signal)
        return
      } catch (error) {
        if (!(error instanceof TransportError)) throw error
      }
      await sleep(TRY_AGAIN_MS, undefined, { signal })
    }
  } finally {
    probe.close()
  }
  throw new UsageError(`${baseUrl}: the gateway did not answer within ${warmUpMs / 1000} s`)
}
