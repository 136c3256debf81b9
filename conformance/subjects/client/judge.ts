// Judges a client from its options to the report: the scripted service is started, the program is run in every scenario,
// and nothing is left running.
import type { Bundle } from '../../bundle/bundle-file.ts'
import type { RunRecorder } from '../../bundle/record-run.ts'
import { type Redactor, createRedactor } from '../../../harness/secrets/redact.ts'
import { PROGRAM } from '../../../harness/program.ts'
import { beginReport } from '../../report/begin-report.ts'
import { shellWord } from '../../report/show-exchange.ts'
import type { Report } from '../../contract/report.ts'
import {
  type ClientConformanceOptions,
  type ClientRunControl,
  type ClientSettings,
  clientSettings,
  programOf,
} from './settings.ts'
import { hideGiven } from '../../contract/environment/given-secrets.ts'
import { judgeObserved } from './judge-observed.ts'
import { readObserved, recordObserved } from './recorded-client.ts'
import type { ClientSetup } from './run-scenario.ts'
import { runScenarios } from './run-scenarios.ts'
import { type Observed, requestsOf } from './scenario.ts'
import { type ClientSelection, clientChecks, clientRows, expectedRunMs, selectChecks } from './catalogue.ts'
import type { ScriptedService } from '../../../harness/scripted-service/scripted-service.ts'
import { startServiceProcess } from './service-process/start-service-process.ts'
import { EARLY_MS, LATE_MS } from './verify/due-wait.ts'
import { BUSY_MS } from './verify/actual-waits.ts'

/** Judges a command. Throws as `runClientConformance` does. */
export async function judgeCommand(
  options: ClientConformanceOptions & ClientRunControl,
  redactor: Redactor,
  recorder?: RunRecorder,
): Promise<Report> {
  const settings = clientSettings(options)
  const { command } = options
  const start = programOf(settings, command, redactor)
  const { selection, seed, contain, report } = beginClientRun(settings, redactor)
  const { onBegin, onProgress, onFault = () => {}, signal = new AbortController().signal } = options
  const { scenarios } = selection
  onBegin?.(command, seed, {
    scenarios: scenarios.length,
    seconds: expectedRunMs(scenarios, settings.concurrency) / 1000,
    longestSeconds: Math.max(...scenarios.map(({ answerMs = 0 }) => answerMs)) / 1000,
  })
  const seen = await contain(signal, onFault, async (ends) => ({
    ...(await observeClient({ settings, selection, seed, start, signal: ends, onProgress })),
    interrupted: ends.aborted,
  }))
  if (recorder !== undefined) recordObserved(seen.observed, seen.delays, recorder)
  return report({ ...seen, command })
}

/** Judges a recorded command again. */
export function judgeRecordedCommand({ manifest, report, lines }: Bundle) {
  const settings = clientSettings(manifest.settings)
  const { selection, seed, report: judge } = beginClientRun(settings, createRedactor())
  const { observed, missing } = readObserved({ lines, selection, seed, model: settings.model })
  const { command, baseUrl: origin } = report.target
  return { report: judge({ command, origin, observed, interrupted: false }), missing }
}

/** The observations of a client. */
interface ObservedClient {
  /** Undefined if the judge has not started the program. */
  readonly command: readonly string[] | undefined
  /** The origin of the scripted service. */
  readonly origin: string
  readonly observed: ReadonlyMap<string, Observed>
  /** The errors of the judge by the name of the scenario in which nothing caught them. */
  readonly crashed?: ReadonlyMap<string, unknown>
  readonly interrupted: boolean
}

/** Begins a run. Throws as `beginReport` does. */
export function beginClientRun(settings: ClientSettings, redactor: Redactor) {
  const selection = selectChecks(settings)
  const subject = {
    subject: 'client',
    rows: clientRows,
    checks: clientChecks,
    selected: selection.checks.length,
  } as const
  hideGiven(redactor, settings)
  const { seed, contain, finish } = beginReport(subject, settings, redactor)
  return {
    seed,
    contain,
    selection,
    /** Judges what was seen, and builds the report. */
    report({ command, origin, observed, crashed, interrupted }: ObservedClient): Report {
      const all = [...observed.values()]
      for (const { key } of all) redactor.add(key)
      const [serve, words] =
        command === undefined ? ['--serve ', ''] : ['', ` -- ${command.map(shellWord).join(' ')}`]
      const passed = settings.env.map((name) => `--env ${name}`)
      return finish({
        target: {
          ...(command === undefined ? {} : { command }),
          baseUrl: origin,
          profile: 'service',
          model: settings.model,
          facts: () => factsOf(settings, all),
        },
        results: judgeObserved(selection, observed, { strict: settings.strict, crashed, interrupted }),
        requests: all.flatMap(requestsOf).length,
        interrupted,
        commandLine: (flags) => [`${PROGRAM} client`, ...passed, `${serve}${flags}${words}`].join(' '),
      })
    },
  }
}

export interface ClientToObserve extends Pick<ClientSetup, 'seed' | 'start' | 'signal'> {
  readonly settings: ClientSettings
  readonly selection: ClientSelection
  /** Starts the service; left out: in a process of its own. */
  readonly serve?: () => Promise<ScriptedService>
  readonly onProgress?: ClientRunControl['onProgress']
}

/** Runs every selected scenario of a client, and stops the service. Throws as `runScenarios` does. */
export async function observeClient(client: ClientToObserve) {
  const { settings, serve = startServiceProcess, onProgress = () => {}, ...setup } = client
  const service = await serve()
  try {
    const crashed = new Map<string, unknown>()
    const observed = await runScenarios(
      { ...setup, service, model: settings.model, startMs: settings.timeoutMs },
      client.selection,
      settings,
      onProgress,
      (scenario, error) => crashed.set(scenario, error),
    )
    return { observed, crashed, origin: service.origin, delays: [...service.delays()] }
  } finally {
    await service.close()
  }
}

/** The tolerance of waits, and how busy the judge itself was. */
function factsOf({ concurrency }: ClientSettings, observed: readonly Observed[]) {
  const busiest = Math.max(
    0,
    ...observed.map((one) => one.busyMs(requestsOf(one)[0]?.arrivedMs ?? Infinity, Infinity)),
  )
  const fact = (name: string, value: string, how: string) => ({ name, value, learned: how })
  return [
    fact('programs side by side', String(concurrency), '--concurrency'),
    fact('tolerance of waits', `${EARLY_MS} ms less, ${LATE_MS} ms more`, 'docs/clients.md derives it'),
    fact(
      'longest delay of the judge',
      `${Math.round(busiest)} ms`,
      `from ${BUSY_MS} ms on a late wait is inconclusive`,
    ),
  ]
}
