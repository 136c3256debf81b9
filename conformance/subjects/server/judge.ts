// Judges a server from its options to the report: the target is started or reached, judged, and left as it was. Every
// key that was made is revoked, whatever happens between.
import { type Catalogue, select } from './selection.ts'
import { hideGiven } from '../../contract/environment/given-secrets.ts'
import { readCredentials } from '../../contract/credentials.ts'
import { createKeyMaker } from '../../../harness/keys/key-command.ts'
import { runChecks } from './run-checks.ts'
import type { RunEvents } from '../../contract/run-events.ts'
import { PROGRAM } from '../../../harness/program.ts'
import type { Redactor } from '../../../harness/secrets/redact.ts'
import type { KeyedServer } from '../../../harness/reference-server.ts'
import { beginReport } from '../../report/begin-report.ts'
import { flagWords, headerFlags } from '../../report/show-exchange.ts'
import type { Report } from '../../contract/report.ts'
import { DEFAULT_RUNS, type Settings } from '../../contract/settings.ts'
import { type RunTransport, live } from '../../contract/transport.ts'
import { rowsOf } from '../../contract/verdict.ts'

/**
 * Judges a server: the one at the address of the options, or else the one that `starting` resolves to. A run whose signal
 * is aborted ends early, with a report of the checks that were finished. Throws `UsageError` or `StartError` if there is
 * nothing to judge, and the signal's reason if that is aborted before the target was reached. No key is left behind.
 */
export async function judge(
  given: Settings,
  all: Catalogue,
  redactor: Redactor,
  signal: AbortSignal,
  events: RunEvents,
  transport: RunTransport = live,
  starting?: Promise<KeyedServer>,
): Promise<Report> {
  // Given keys belong to another service than the one that is started here.
  const options = given.baseUrl === undefined ? { ...given, credentials: readCredentials({}) } : given
  hideGiven(redactor, given)
  // Its path may contain a key.
  if (given.baseUrl !== undefined) redactor.keep(new URL(given.baseUrl).origin)
  const selection = select(all, options)
  const { seed, elapsedMs, contain, finish } = beginReport(
    {
      rows: rowsOf(options.profile),
      checks: [...all.cases, ...all.observers],
      selected: selection.cases.length + selection.observers.length,
    },
    options,
    redactor,
  )

  const faults: string[] = []
  const clean = async (ending: Promise<void> | undefined): Promise<void> => {
    try {
      await ending
    } catch (error) {
      const message = redactor.text(error instanceof Error ? error.message : String(error))
      faults.push(message)
      events.onFault(message)
    }
  }
  const server = await starting
  // A server that listens may still fail to load its other models, and then it ends.
  const failed = new AbortController()
  server?.ended.catch((error: unknown) => failed.abort(error))
  const words = options.credentials.keyCommand
  const command = server?.keyMaker ?? (words && createKeyMaker({ words, onSecret: redactor.add }))
  const keyMaker = transport.keys(command)
  try {
    const baseUrl = options.baseUrl ?? server?.baseUrl ?? ''
    const target = { baseUrl, keyMaker, transport }
    const judged = await contain(AbortSignal.any([signal, failed.signal]), events.onFault, (ends) =>
      runChecks({ options, selection, ...target, seed, signal: ends, events }),
    ).finally(() => failed.signal.throwIfAborted())
    const durationMs = elapsedMs()
    // The keys of a started server end with it.
    if (server === undefined) await clean(keyMaker?.revokeAll())
    return finish({
      ...judged,
      checkSet: options.checkSet,
      faults,
      runs: options.runs,
      durationMs,
      variableOf: options.credentials.secrets,
      commandLine: (flags) => `${commandLine(options, redactor)} ${flags}`,
    })
  } finally {
    if (server === undefined) await clean(keyMaker?.revokeAll())
  }
}

/** The command that judges the same target again; further flags are appended. */
function commandLine(options: Settings, redactor: Redactor): string {
  const { baseUrl, authHeader, model, profile, runs, headers } = options
  return [
    PROGRAM,
    ...flagWords({ 'base-url': baseUrl, 'auth-header': authHeader, model }),
    ...flagWords({ profile: profile === 'service' ? undefined : profile }),
    ...headerFlags(headers, redactor),
    ...flagWords({ runs: runs === DEFAULT_RUNS ? undefined : runs }),
  ].join(' ')
}
