// Tries the uses of a client with a server: each runs as a scenario behind a proxy that records, until it comes about.
import { EventEmitter } from 'node:events'
import { UsageError } from '../../../../harness/cli/usage-error.ts'
import { type StartClient, ending } from '../../../../harness/judged-program.ts'
import { nextEvent } from '../../../../harness/scripted-service/next-event.ts'
import type { Call } from '../../../../harness/scripted-service/received-call.ts'
import { startScriptedService } from '../../../../harness/scripted-service/scripted-service.ts'
import { inTurns } from '../../../../harness/waiting.ts'
import { type CheckResult, createResults } from '../../../contract/result.ts'
import type { RecordedSubject } from '../../../contract/settings.ts'
import { startCaptureProxy } from '../../../exchanges/capture/capture-proxy.ts'
import type { RecordedExchange } from '../../../exchanges/recorded-exchange.ts'
import { runScenario } from '../run-scenario.ts'
import { isCompletion, verifyUse } from './judge-use.ts'
import { type Shown, UseEnd, type UseRun } from './use-ends.ts'
import type { Use } from './uses.ts'

/** How often a use is tried that the model decides about, before its request leaves the model no choice. */
const TRIES = 3

/** The server of a pair. */
export interface PairServer {
  /** The address with its version. */
  readonly baseUrl: string
  readonly key: string
  readonly model: string
}

export interface PairToTry extends JudgedPair {
  readonly start: StartClient
  readonly server: PairServer
  readonly seed: number
  /** Programs that run side by side. */
  readonly concurrency: number
  /** The longest run of a program, in milliseconds. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly onUse?: (use: TriedUse) => void
}

interface JudgedPair {
  /** A defect fails. Default: it warns. */
  readonly strict?: boolean
  readonly server: Pick<PairServer, 'baseUrl'>
  /** Judges exchanges by the checks that only look at them. */
  readonly judgeExchanges: (
    exchanges: readonly RecordedExchange[],
    options: { readonly baseUrl: string; readonly profile: 'wire'; readonly subject: RecordedSubject },
  ) => readonly CheckResult[]
}

/** A use that was tried. */
export interface TriedUse extends Shown {
  readonly id: Use['name']
  /** The result of its check; if a side is at fault, that of the row that it broke, with the side. */
  readonly result: CheckResult
  readonly isScripted: boolean
  readonly runs: readonly UseRun[]
}

/** Tries these uses, in their order. Throws `UsageError` if the program cannot be started, or never sends a request. */
export async function tryUses(selected: readonly Use[], pair: PairToTry): Promise<readonly TriedUse[]> {
  const tried = await inTurns(selected, pair.concurrency, async (use) => {
    const found = await tryUse(use, pair)
    pair.onUse?.(found)
    return found
  })
  const runs = tried.flatMap((one) => one.runs)
  const [first] = runs
  if (first !== undefined && !runs.some(({ exchanges }) => exchanges.some(isCompletion)))
    throw new UsageError(`the program sent no request: ${ending(first.end)}; is it installed?`)
  return tried
}

/** Tries a use until it comes about: some times as it is, then with a request that leaves no choice. */
async function tryUse(use: Use, pair: PairToTry): Promise<TriedUse> {
  const runs: UseRun[] = []
  const attempt = async (isScripted: boolean, forced?: Use['forced']) => {
    const run = await runUse(use, pair, { seed: pair.seed + runs.length, isScripted, forced })
    runs.push(run)
    return judgeUse(use, run, pair)
  }
  let found = await attempt(use.scripted === 'always')
  const isOpen = (): boolean => found.result.outcome === 'inconclusive'
  if (use.forced !== undefined) {
    for (let tries = 1; isOpen() && tries < TRIES; tries += 1) found = await attempt(false)
    const forced = isOpen() ? await attempt(false, use.forced) : found
    // A refusal of the force is none of the use.
    if (forced.result.outcome !== 'not-applicable') found = forced
  }
  if (found.isAccepted === true && use.scripted !== undefined) found = await attempt(true)
  return { id: use.name, ...found, isScripted: runs.at(-1)?.isScripted === true, runs }
}

/** Judges a run of a use. */
export function judgeUse(use: Use, run: UseRun, { judgeExchanges, server, strict = false }: JudgedPair) {
  const judge = (subject: RecordedSubject) =>
    judgeExchanges(run.exchanges, { baseUrl: server.baseUrl, profile: 'wire', subject })
  const passive = { server: run.isScripted ? [] : judge('server'), client: judge('client') }
  const { thrown, shows } = shownBy(() => verifyUse(use, run, passive))
  const results = createResults({ strict })
  const check = { ...use.check, ...(shows.row && { requirement: shows.row }) }
  // A use that succeeded with a defect is a warning.
  results.add(shows.isDefect === true ? { ...check, level: 'SHOULD' } : check, thrown, () => ({
    ...(shows.side && { attribution: shows.side }),
    ...evidenceOf(shows.shown),
  }))
  return { ...shows, result: results.of(check, {}) }
}

function shownBy(verify: () => Shown) {
  try {
    return { thrown: {}, shows: verify() }
  } catch (error) {
    if (!(error instanceof UseEnd)) throw error
    return { thrown: { thrown: error.end }, shows: error.shows }
  }
}

function evidenceOf(shown: RecordedExchange | undefined): Partial<CheckResult> {
  if (shown === undefined) return {}
  const { request, response, timings } = shown
  return response === null ? { unanswered: request } : { exchanges: [{ request, response, timings }] }
}

interface Attempt {
  readonly seed: number
  readonly isScripted: boolean
  readonly forced: Use['forced']
}

/** Runs the program in a use. */
async function runUse(
  use: Use,
  { start, server, timeoutMs, signal }: PairToTry,
  { seed, isScripted, forced }: Attempt,
): Promise<UseRun> {
  signal.throwIfAborted()
  const { wrong, requested, boundMs = timeoutMs } = use
  await using opened = await openService(use, server.baseUrl, isScripted)
  const body = (words: string) => ({ ...requested.body(words), ...forced })
  const model = wrong === 'model' ? `no-such-${server.model}` : server.model
  const { ends, task } = await runScenario(
    { ...use, boundMs, checks: [], requested: { ...requested, body } },
    {
      service: opened.service,
      start,
      seed,
      model,
      key: wrong === 'key' ? wrongKey(server.key) : server.key,
      startMs: timeoutMs,
      // The whole run of a program is bounded: of an exchange with a server, the proxy reports the end alone.
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    },
  )
  const [end] = ends
  if (end === undefined) throw new Error(`${use.name}: the program did not end`)
  return { asked: task.request, end, exchanges: await opened.recorded(), isScripted }
}

/** Opens the service of one use, which is the server or the script, behind a proxy that records. */
async function openService(use: Use, baseUrl: string, isScripted: boolean) {
  await using opening = new AsyncDisposableStack()
  const exchanges: RecordedExchange[] = []
  const changes = new EventEmitter()
  const scripted = isScripted
    ? await startScriptedService({ nameOf: () => use.name, scriptOf: () => use.script })
    : undefined
  opening.defer(() => scripted?.close())
  const proxy = await startCaptureProxy(scripted?.origin ?? baseUrl, 0, (exchange) => {
    exchanges.push(exchange)
    changes.emit('exchange')
  })
  opening.defer(() => proxy.end())
  const real = {
    open() {},
    calls: (): readonly Call[] =>
      exchanges.map(({ request, startedAtMs }) => ({ kind: 'attempt', arrivedMs: startedAtMs, request })),
    next: (_: string, signal: AbortSignal) => nextEvent(changes, 'exchange', signal),
    busyMs: () => 0,
    settled: async () => {},
  }
  const opened = opening.move()
  return {
    service: { ...(scripted ?? real), origin: proxy.origin },
    /** Ends the proxy; the exchanges in the order of their requests. */
    async recorded(): Promise<readonly RecordedExchange[]> {
      await proxy.end()
      return exchanges.toSorted((one, other) => one.startedAtMs - other.startedAtMs)
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** A key of the same form that the server does not know. */
const wrongKey = (key: string): string =>
  key.replace(/.{1,4}$/, (end) => (end === 'aaaa' ? 'bbbb' : 'a'.repeat(end.length)))
