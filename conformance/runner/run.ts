// One run from its options to its report: the target is started or reached, judged, and left as it was found, with
// every key that was made revoked, whatever happens between.
import { type Catalogue, select } from '../catalogue/catalogue.ts'
import { asOf } from '../catalogue/catalogue-version.ts'
import { readCredentials } from './credentials.ts'
import { type KeyMaker, createKeyMaker } from '../../harness/keys/key-command.ts'
import { type KeySession, openKeySession } from '../../harness/keys/key-session.ts'
import { judgeTarget, type RunEvents } from './judge-target.ts'
import { PROGRAM } from '../../harness/program.ts'
import type { Redactor } from '../../harness/redact.ts'
import { startReferenceServer } from '../../harness/reference-server.ts'
import { beginReport } from '../report/begin-report.ts'
import { shellWord } from '../report/exchange.ts'
import type { Report } from '../report/schema.ts'
import { DEFAULT_RUNS, type Settings } from './settings.ts'
import { rowsOf } from '../verdict/verdict.ts'

/** A quick run is the same each time: a gate must not fail by chance. */
const QUICK_SEED = 1

/**
 * Judges what the options say. A run whose signal is aborted ends early, with the report of what was judged by then.
 * Throws `UsageError` or `StartError` where there is nothing to judge, and the signal's reason where that is aborted
 * before the target was reached. Nothing is left behind in any case.
 */
export async function judge(
  given: Settings,
  all: Catalogue,
  redactor: Redactor,
  signal: AbortSignal,
  events: RunEvents,
): Promise<Report> {
  // Keys that are given are of another service than the one that is started here.
  const options = given.baseUrl === undefined ? { ...given, credentials: readCredentials({}) } : given
  for (const secret of secretsOf(given)) redactor.add(secret)
  const { catalogue, newer } = asOf(all, options.catalogue)
  const selection = select(catalogue, options)
  const { seed, elapsedMs, finish } = beginReport(
    {
      rows: rowsOf(options.profile),
      checks: [...catalogue.cases, ...catalogue.observers],
      known: [...all.cases, ...all.observers],
      selected: selection.cases.length + selection.observers.length,
    },
    { ...options, seed: options.seed ?? (options.quick ? QUICK_SEED : undefined) },
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
  const server = options.baseUrl === undefined ? await startReferenceServer(signal, redactor.add) : undefined
  const session = server && openKeySession(server.keyCommand.words, server.keyCommand.env)
  const keyMaker = keyMakerOf(options, session, redactor)
  try {
    const baseUrl = options.baseUrl ?? server?.baseUrl ?? ''
    const judged = await judgeTarget({
      options,
      selection,
      baseUrl,
      keyMaker,
      redactor,
      seed,
      signal,
      events,
    })
    const durationMs = elapsedMs()
    // The keys of a server that is thrown away go with it.
    if (server === undefined) await clean(keyMaker?.revokeAll())
    return finish({
      ...judged,
      pinned: { version: options.catalogue, leftOut: newer },
      faults,
      runs: options.runs,
      durationMs,
      secretHeaders: new Set(Object.keys(options.headers).map((name) => name.toLowerCase())),
      variableOf: options.credentials.secrets,
      commandLine: (flags) => `${commandLine(options)} ${flags}`,
    })
  } finally {
    if (server === undefined) await clean(keyMaker?.revokeAll())
    session?.close()
    await clean(server?.stop())
  }
}

/** What no report and no message may show: every key, and what a header says that is long enough to be a secret. */
function secretsOf({ credentials, headers }: Settings): readonly string[] {
  // What a short header says is hidden where it is sent; everywhere else it is a word like any other.
  return [...credentials.secrets.keys(), ...Object.values(headers).filter((value) => value.length >= 8)]
}

function keyMakerOf(
  options: Settings,
  session: KeySession | undefined,
  redactor: Redactor,
): KeyMaker | undefined {
  const words = options.credentials.keyCommand
  if (session !== undefined) return createKeyMaker({ words: [], run: session.run, onSecret: redactor.add })
  return words === undefined ? undefined : createKeyMaker({ words, onSecret: redactor.add })
}

/** How to judge the same target again; further flags are added to it. */
function commandLine({ baseUrl, model, profile, runs }: Settings): string {
  return [
    PROGRAM,
    ...(baseUrl === undefined ? [] : [`--base-url ${shellWord(baseUrl)}`]),
    ...(model === undefined ? [] : [`--model ${shellWord(model)}`]),
    ...(profile === 'service' ? [] : [`--profile ${profile}`]),
    ...(runs === DEFAULT_RUNS ? [] : [`--runs ${runs}`]),
  ].join(' ')
}
