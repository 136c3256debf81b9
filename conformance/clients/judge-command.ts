// One run from its options to its report: the service is started, the program is run in every scenario, and nothing is
// left behind.
import { randomInt } from 'node:crypto'
import type { Redactor } from '../../harness/redact.ts'
import { PROGRAM } from '../../harness/program.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { CATALOGUE_VERSION } from '../../spec/catalogue/requirements.ts'
import { buildReport } from '../report/build.ts'
import type { Report } from '../report/schema.ts'
import { readBaseline } from '../verdict/baseline.ts'
import {
  type ClientConformanceOptions,
  type ClientRunControl,
  type ClientSettings,
  clientSettings,
  commandWords,
  programEnvironment,
} from './client-settings.ts'
import { judgeSeen, runScenarios } from './judge-client.ts'
import { type StartClient, commandStarter } from './run-client.ts'
import type { Seen } from './scenario.ts'
import { type ClientSelection, allChecks, clientRows, selectChecks } from './scenarios.ts'
import type { ScriptedService } from './scripted-service/service.ts'
import { startServiceProcess } from './scripted-service/service-process.ts'
import { EARLY_MS, LATE_MS } from './verify/retry-rule.ts'
import { BUSY_MS } from './verify/waits.ts'

/** Judges a command. Throws as `runClientConformance` does. */
export async function judgeCommand(
  options: ClientConformanceOptions & ClientRunControl,
  redactor: Redactor,
): Promise<Report> {
  const settings = clientSettings(options)
  const command = commandWords(options.command)
  const start = commandStarter(command, programEnvironment(settings.environment))
  const selection = selectionOf(settings)
  const baseline = baselineOf(settings)
  const { onBegin, onProgress, signal = new AbortController().signal } = options
  const seed = settings.seed ?? randomInt(2 ** 32)
  const startedAt = new Date()
  const startedMs = performance.now()
  onBegin?.(command, seed)
  return withClientSeen({ settings, selection, seed, start, signal, onProgress }, (seen, origin) =>
    reportOn({
      settings,
      selection,
      baseline,
      command,
      origin,
      seen,
      seed,
      startedAt,
      durationMs: performance.now() - startedMs,
      interrupted: signal.aborted,
      redactor,
    }),
  )
}

export interface ClientToSee {
  readonly settings: ClientSettings
  readonly selection: ClientSelection
  readonly seed: number
  /** Starts the program once. */
  readonly start: StartClient
  /** Starts the service; in a process of its own unless given. */
  readonly serve?: () => Promise<ScriptedService>
  readonly signal: AbortSignal
  readonly onProgress?: ClientRunControl['onProgress']
}

/**
 * Runs every selected scenario with whatever `start` starts, and returns what `judge` makes of what was seen; the
 * service stands until then. Throws as `runScenarios` does.
 */
export async function withClientSeen<Result>(
  {
    settings,
    selection,
    seed,
    start,
    serve = startServiceProcess,
    signal,
    onProgress = () => {},
  }: ClientToSee,
  judge: (seen: ReadonlyMap<string, Seen>, origin: string) => Result,
): Promise<Result> {
  const service = await serve()
  try {
    const seen = await runScenarios({
      selection,
      bench: { service, start, seed, model: settings.model, startMs: settings.timeoutMs, signal },
      concurrency: settings.concurrency,
      atOnce: settings.atOnce,
      onProgress,
    })
    return judge(seen, service.origin)
  } finally {
    await service.close()
  }
}

/** The selected checks. Throws `UsageError` where there are none. */
export function selectionOf({ only }: Pick<ClientSettings, 'only'>): ClientSelection {
  const selection = selectChecks(only)
  if (selection.checks.length === 0)
    throw new UsageError(`--only ${only}: no check of clients matches; \`${PROGRAM} list\` shows them`)
  return selection
}

export function baselineOf({ baseline }: Pick<ClientSettings, 'baseline'>): ReadonlyMap<string, string> {
  if (baseline === undefined) return new Map()
  const ids = new Set(allChecks().map(({ id }) => id))
  return readBaseline(baseline, (id) => ids.has(id))
}

export interface SeenRun {
  readonly settings: ClientSettings
  readonly selection: ClientSelection
  readonly baseline: ReadonlyMap<string, string>
  /** Undefined where the judge has not started the program. */
  readonly command: readonly string[] | undefined
  readonly origin: string
  readonly seen: ReadonlyMap<string, Seen>
  readonly seed: number
  readonly startedAt: Date
  readonly durationMs: number
  readonly interrupted: boolean
  readonly redactor: Redactor
}

/** The report on what was seen. */
export function reportOn(run: SeenRun): Report {
  const { settings, selection, command, seen, interrupted, redactor } = run
  for (const { key } of seen.values()) redactor.add(key)
  const all = [...seen.values()]
  return buildReport({
    subject: 'client',
    target: {
      ...(command === undefined ? {} : { command }),
      baseUrl: run.origin,
      profile: 'service',
      model: settings.model,
      facts: () => factsOf(settings, all),
      capabilities: () => [],
    },
    results: judgeSeen(selection, seen, { strict: settings.strict, interrupted }),
    rows: clientRows,
    covered: new Set(allChecks().map(({ requirement }) => requirement)),
    pinned: { version: Number(CATALOGUE_VERSION), leftOut: [] },
    baseline: run.baseline,
    allowIncomplete: settings.allowIncomplete,
    missingCapabilities: [],
    unknownCapabilities: [],
    isWhole: settings.only === undefined,
    faults: [],
    seed: run.seed,
    runs: 1,
    startedAt: run.startedAt,
    durationMs: run.durationMs,
    requests: all.reduce(
      (sum, one) => sum + one.attempts.length + one.strays.length + one.elsewhere.length,
      0,
    ),
    tokens: { prompt: 0, completion: 0 },
    interrupted,
    redactor,
    secretHeaders: new Set(),
    variableOf: new Map(),
    commandLine: (flags) =>
      `${PROGRAM} client ${command === undefined ? '--serve ' : ''}${flags}${command === undefined ? '' : ` -- ${command.map(word).join(' ')}`}`,
  })
}

/** By what tolerance was judged, and how busy the judge itself was. */
function factsOf({ concurrency }: ClientSettings, seen: readonly Seen[]) {
  const busiest = seen.reduce((most, one) => Math.max(most, one.busyMs(0, Infinity)), 0)
  const learned = (name: string, value: string, how: string) => ({ name, value, learned: how })
  return [
    learned('programs side by side', String(concurrency), '--concurrency'),
    learned('tolerance of waits', `${EARLY_MS} ms less, ${LATE_MS} ms more`, 'docs/clients.md derives it'),
    learned(
      'longest delay of the judge',
      `${Math.round(busiest)} ms`,
      `from ${BUSY_MS} ms on a late wait is inconclusive`,
    ),
  ]
}

/** A word of a command as a shell takes it. */
function word(text: string): string {
  return /^[\w./:@%+=,{}-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
