// `--serve`: an address for each scenario, for programs that the judge cannot start. When it is interrupted, it judges
// the scenarios that were called.
import { once } from 'node:events'
import type { Redactor } from '../../../harness/secrets/redact.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import type { Report } from '../../contract/report.ts'
import type { ClientSettings } from './settings.ts'
import { beginClientRun } from './judge.ts'
import { openScenario, observedOf } from './run-scenario.ts'
import type { Observed, Opened } from './scenario.ts'
import type { Call } from '../../../harness/scripted-service/received-call.ts'
import type { ScriptedService } from '../../../harness/scripted-service/scripted-service.ts'
import { serveScenarios } from './catalogue.ts'
import { createServePage } from './live-page.ts'

/** Serves until the signal is aborted, and returns the report. Throws `UsageError` if no address was called. */
export async function serveClients(
  settings: ClientSettings,
  signal: AbortSignal,
  redactor: Redactor,
  say: (text: string) => void,
): Promise<Report> {
  const { selection, seed, report } = beginClientRun(settings, redactor)
  let opened: readonly Opened[] = []
  const seen = (one: Opened): Observed => observedOf(one, { service }, [], undefined, lastCall(service, one))
  const page = createServePage(() => opened.map(seen))
  const service = await serveScenarios({ onCall: page.changed, onOther: page.answer })
  try {
    opened = selection.scenarios.map((scenario) =>
      openScenario(scenario, { service, seed, model: settings.model }, scenario.clients ?? 1),
    )
    say(listOf(opened, service))
    if (!signal.aborted) await once(signal, 'abort')

    const called = opened.filter(({ scenario }) => service.calls(scenario.name).length > 0)
    if (called.length === 0) throw new UsageError('client --serve: no address was called')
    const missed = opened.filter((one) => !called.includes(one)).map(({ scenario }) => scenario.name)
    if (missed.length > 0) say(`\nNot called: ${missed.join(', ')}\n`)
    const observed = new Map(called.map((one) => [one.scenario.name, seen(one)]))
    return report({ command: undefined, origin: service.origin, observed, interrupted: false })
  } finally {
    page.close()
    await service.close()
  }
}

/** The list of addresses, as text. */
function listOf(opened: readonly Opened[], { origin }: ScriptedService): string {
  const lines = opened.flatMap(({ scenario, baseUrl, key, task }) => [
    `${baseUrl}`,
    `    key ${key}, model ${task.model}${requestedOf(scenario)}`,
    ...(scenario.checks.length === 0 ? [] : [`    ${scenario.checks.map(({ title }) => title).join('; ')}`]),
  ])
  return [
    `${origin}/ shows this list, and each request as it comes. Ctrl-C judges what was called.`,
    '',
    ...lines,
    '',
  ].join('\n')
}

/** How a call of an address should differ from a plain one. */
function requestedOf({ requested = {}, clients = 1 }: Opened['scenario']): string {
  const extras = [
    requested.stream === true ? 'streamed' : undefined,
    requested.tools === true ? 'with tools' : undefined,
    requested.prompt === undefined ? undefined : 'with the text that the page shows',
    requested.history === undefined ? undefined : 'with the messages that the page shows',
    clients > 1 ? `${clients} calls at once` : undefined,
  ].filter((one) => one !== undefined)
  return extras.length === 0 ? '' : `: ${extras.join(', ')}`
}

/** The requests of the last call to an address: a call ends with its answer. */
function lastCall(service: ScriptedService, { scenario }: Opened): readonly Call[] {
  const calls = service.calls(scenario.name)
  const ends = calls.flatMap(({ kind, reply }, at) =>
    kind === 'attempt' && reply?.status === 200 ? [at] : [],
  )
  const last = ends.at(-1)
  // Requests after the last answer belong to a call in progress.
  const begin = last === undefined || last === calls.length - 1 ? (ends.at(-2) ?? -1) : last
  return calls.slice(begin + 1)
}
