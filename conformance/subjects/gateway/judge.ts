// Judges a gateway before the scripted upstream, from the options of a run to its report.
import { randomBytes } from 'node:crypto'
import { connectionOf } from '../../../harness/http/connection.ts'
import { headerValues, json } from '../../../harness/http/exchange.ts'
import { isAbsent } from '../../../harness/http/find-base.ts'
import { type Probe, createProbe } from '../../../harness/http/probe.ts'
import type { Bundle } from '../../bundle/bundle-file.ts'
import type { Replayed } from '../../bundle/compare-outcomes.ts'
import type { RunRecorder } from '../../bundle/record-run.ts'
import { commandSecrets } from '../../../harness/secrets/known-secrets.ts'
import { type Redactor, createRedactor } from '../../../harness/secrets/redact.ts'
import { at, listAt } from '../../../harness/json-value.ts'
import type { Call } from '../../../harness/scripted-service/received-call.ts'
import { answer } from '../../../harness/scripted-service/scripted-answers.ts'
import { asBase, isVersioned, urlAt } from '../../../harness/http/service-address.ts'
import { clockMs } from '../../../harness/scripted-service/measuring-clock.ts'
import type { LocalService } from '../../../harness/scripted-service/scripted-service.ts'
import { beginReport } from '../../report/begin-report.ts'
import { headerFlags } from '../../report/show-exchange.ts'
import { hideGiven } from '../../contract/environment/given-secrets.ts'
import { CHAT_PATH } from '../../contract/target.ts'
import type { Report } from '../../contract/report.ts'
import { type Crossings, type GatewaySetup, cross } from './cross.ts'
import type { RunFacts } from './crossing.ts'
import { modelsAt, startGateway, untilReady } from './gateway-process.ts'
import { type GatewayOptions, type GatewaySettings, commandLine, gatewaySettings } from './settings.ts'
import { recordCrossings, replayCrossings } from './recorded-crossings.ts'
import { runScenarios } from './run-scenarios.ts'
import { type GatewaySelection, gatewayChecks, gatewayRows, selectChecks } from './catalogue.ts'
import { startUpstream } from './scripted-upstream.ts'
import { MOST_OF_AN_ANSWER, said } from './crossing-sides.ts'

export interface GatewayControl {
  /** The upstream, already started; it is closed at the end. Left out: one on the port of `listen`. */
  readonly upstream?: LocalService
  /** Gets how to configure the gateway: with a key if the judge made it, because a given one is not printed. */
  readonly onUpstream?: (baseUrl: string, generatedKey: string | undefined) => void
  /** `key` says that the upstream gets another key than the one that checks look for; undefined if it gets that. */
  readonly onBegin?: (settings: GatewaySettings, model: string, seed: number, key?: string) => void
  readonly onProgress?: (done: number, total: number, doing: string) => void
  /** Gets an error of the judge itself: the report then has no verdict. */
  readonly onFault?: (message: string) => void
  readonly signal?: AbortSignal
}

/** The most that all answers hold that are being read, in bytes with the memory for their pieces. */
const MOST_OF_ALL_ANSWERS = 2 * MOST_OF_AN_ANSWER

/** The time over the limit of the gateway after which the judge no longer waits, in milliseconds. */
const MARGIN_MS = 1_000

/**
 * Judges a gateway. Throws `UsageError` if an option cannot be used, the port is taken, or the gateway does not reach the
 * upstream in time.
 */
export async function judgeGateway(
  options: GatewayOptions & GatewayControl,
  redactor: Redactor,
  recorder?: RunRecorder,
): Promise<Report> {
  const settings = gatewaySettings(options)
  const { signal = new AbortController().signal, onFault = () => {} } = options
  const selection = selectChecks(settings)
  const run = beginReport(
    { subject: 'gateway', rows: gatewayRows, checks: gatewayChecks, selected: selection.checks.length },
    settings,
    redactor,
  )
  const upstreamKey = settings.upstreamKey ?? `svc_sk_${randomBytes(24).toString('base64url')}`
  for (const key of [upstreamKey, settings.key, ...commandSecrets(settings.command)]) redactor.add(key)
  hideGiven(redactor, settings)
  const crossed = { options, settings, selection, seed: run.seed, upstreamKey, redactor, recorder }
  return run.finish(await run.contain(signal, onFault, (ends) => judgeCrossings(crossed, ends)))
}

interface GatewayRun {
  readonly options: GatewayControl
  readonly settings: GatewaySettings
  readonly selection: GatewaySelection
  readonly seed: number
  readonly upstreamKey: string
  readonly redactor: Redactor
  readonly recorder: RunRecorder | undefined
}

/** Starts both sides of a gateway, runs the selected scenarios through it, and stops both. */
async function judgeCrossings(run: GatewayRun, signal: AbortSignal) {
  const { options, settings, selection, seed, upstreamKey, redactor, recorder } = run
  const { onProgress = () => {} } = options
  const service = options.upstream ?? (await startUpstream(settings.listen))
  let baseUrl = settings.baseUrl
  const probe = createProbe({
    get baseUrl() {
      return baseUrl
    },
    key: settings.key,
    authHeader: settings.authHeader,
    headers: settings.headers,
    timeoutMs: settings.timeoutMs + MARGIN_MS,
    now: clockMs,
    connection: connectionOf(settings.environment),
    bodies: { most: MOST_OF_AN_ANSWER, mostOpen: MOST_OF_ALL_ANSWERS },
  })
  options.onUpstream?.(service.origin, settings.upstreamKey === undefined ? upstreamKey : undefined)
  const started = startGateway(settings, service.origin, upstreamKey)
  try {
    let count = 0
    const nonce = (): string => `${seed.toString(36)}-${(count += 1)}`
    const { key: clientKey, longStreamMs, idleMs } = settings
    const keys = { clientKey, upstreamKey }
    const setup: GatewaySetup = { service, probe, model: '', ...keys, longStreamMs, idleMs, nonce, signal }
    const other = isVersioned(baseUrl) ? baseUrl : asBase(baseUrl)
    const tryOther = (): void => void (baseUrl = baseUrl === other ? settings.baseUrl : other)
    const { model, call } = await Promise.race([whenReady(setup, settings, tryOther), started.ended])
    const key = keyAt(call, upstreamKey)
    options.onBegin?.(settings, model, seed, key)
    const facts: RunFacts = {
      ...keys,
      upstreamHost: new URL(service.origin).host,
      timeoutMs: settings.timeoutMs,
      listed: await listedModels(probe, signal),
    }
    const ready = { ...setup, model }
    const crossings: Crossings = {
      cross: (scenario) => cross(scenario, ready),
      stopUpstream: () => service.close(),
      signal,
    }
    const recorded =
      recorder === undefined ? crossings : recordCrossings(crossings, facts, { ...ready, ...recorder })
    const judged = await runScenarios({ selection, gateway: recorded, facts, settings, seed, onProgress })
    const seen = {
      baseUrl,
      model,
      upstream: service.origin,
      interrupted: signal.aborted,
      key,
    }
    return judgedGateway(settings, redactor, { ...judged, ...seen })
  } finally {
    probe.close()
    await started.stop()
    await service.close()
  }
}

/** A judged gateway, as the report needs it; `upstream` is the address of the scripted one. */
function judgedGateway(
  settings: GatewaySettings,
  redactor: Redactor,
  {
    baseUrl,
    model,
    upstream,
    key,
    ...judged
  }: Awaited<ReturnType<typeof runScenarios>> &
    Readonly<Record<'baseUrl' | 'model' | 'upstream', string>> & {
      readonly interrupted: boolean
      readonly key?: string | undefined
    },
) {
  const timeout = settings.timeoutMs / 1000
  return {
    target: {
      baseUrl,
      profile: 'wire' as const,
      model,
      facts: () => [
        { name: 'address', value: urlAt(baseUrl, CHAT_PATH), learned: '--base-url' },
        { name: 'upstream', value: upstream, learned: 'scripted, --listen' },
        ...(key === undefined
          ? []
          : [{ name: 'key at the upstream', value: key, learned: 'its first request' }]),
        { name: 'time for an answer', value: `${timeout} s`, learned: '--timeout' },
      ],
    },
    ...judged,
    runs: settings.runs,
    commandLine: (flags: string) =>
      commandLine(settings, { timeout }, ...headerFlags(settings.headers, redactor), flags),
  }
}

/** Says that the gateway sends its upstream another key than the one that checks look for; undefined if it sends that. */
function keyAt({ request }: Call, upstreamKey: string): string | undefined {
  if (request.headers.some(([, value]) => value.includes(upstreamKey))) return undefined
  const sent = headerValues(request.headers, 'authorization').length > 0 ? 'another key' : 'no key'
  return `${sent}, and checks look for that of CONFORMANCE_UPSTREAM_KEY`
}

/** Judges a recorded gateway again. */
export async function judgeRecordedGateway({ manifest, report, lines }: Bundle): Promise<Replayed> {
  const { credentials } = manifest
  const settings = gatewaySettings({ ...manifest.settings, credentials, environment: {} })
  const selection = selectChecks(settings)
  const redactor = createRedactor()
  const checks = { checks: gatewayChecks, selected: selection.checks.length }
  const run = beginReport({ subject: 'gateway', rows: gatewayRows, ...checks }, settings, redactor)
  const signal = new AbortController().signal
  const { gateway, ready, missing } = replayCrossings(lines, signal)
  const { model, upstream, clientKey, upstreamKey, listed } = ready
  const { timeoutMs } = settings
  const facts = { clientKey, upstreamKey, upstreamHost: new URL(upstream).host, timeoutMs, listed }
  const judged = await runScenarios({ selection, gateway, facts, settings, seed: run.seed, onProgress() {} })
  const seen = { baseUrl: report.target.baseUrl, model, upstream, interrupted: false }
  return {
    report: run.finish(judgedGateway(settings, redactor, { ...judged, ...seen })),
    missing: missing(),
  }
}

/** The model of requests to a gateway that lists none. */
const ANY_MODEL = 'touchstone'

/**
 * Waits until a request reaches the upstream through the gateway; returns the model of requests. If there is nothing at the
 * address, `tryOther` changes it between that with `/v1` and the given one.
 */
function whenReady(setup: GatewaySetup, settings: GatewaySettings, tryOther: () => void) {
  const { probe, service, signal } = setup
  let latest = 'it does not answer'
  async function tryOnce(): Promise<{ readonly model: string; readonly call: Call } | undefined> {
    const listed = settings.model ?? (await firstModel(probe, signal))
    const [crossing] = await cross(
      { name: 'ready', phase: 'answers', request: {}, script: () => [answer], checks: [] },
      { ...setup, model: listed ?? ANY_MODEL },
    )
    if (crossing === undefined) return undefined
    // A gateway that has just started may list its models only now.
    const [call] = crossing.calls
    if (call !== undefined) return { model: listed ?? (await firstModel(probe, signal)) ?? ANY_MODEL, call }
    const [stray] = crossing.strays
    latest =
      stray === undefined
        ? `the client gets ${said(crossing)}`
        : `it sends ${stray.request.method} ${stray.request.path} instead of POST /v1/chat/completions`
    if (crossing.answer !== undefined && isAbsent(crossing.answer)) tryOther()
    return undefined
  }
  const problem = (time: string): string =>
    `no request reached the upstream ${service.origin} through it ${time}: ${latest}`
  return untilReady(settings, signal, tryOnce, problem)
}

/** The models that the gateway lists; undefined if it has no list. */
async function listedModels(probe: Probe, signal: AbortSignal): Promise<readonly string[] | undefined> {
  const list = await modelsAt(probe, signal)
  if (list?.response.status !== 200) return undefined
  return listAt(json(list), 'data')
    .map((model) => at(model, 'id'))
    .filter((id) => typeof id === 'string')
}

async function firstModel(probe: Probe, signal: AbortSignal): Promise<string | undefined> {
  return (await listedModels(probe, signal))?.[0]
}
