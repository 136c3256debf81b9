// Judges every faulty and odd server by the whole catalogue, several at a time.
import { type Catalogue, type Selection, covered } from '../../subjects/server/selection.ts'
import { judgeTarget } from '../../subjects/server/run-checks.ts'
import { ECHO_TOKEN } from '../../facts/known-token.ts'
import { createKeyMaker, type KeyMaker } from '../../../harness/keys/key-command.ts'
import { openKeySession } from '../../../harness/keys/key-session.ts'
import { type Options, readOptions } from '../../cli/options.ts'
import { type ReferenceServer, startReferenceServer } from '../../../harness/reference-server.ts'
import { DEFAULT_CONCURRENCY, settingsOf } from '../../contract/settings.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { rollUp } from '../../contract/verdict.ts'
import { selectionsFor } from './derived-run.ts'
import { startFaultyServers } from './faulty-servers.ts'
import type { Mutant } from './mutant.ts'
import { type MutantRun, type MutantVerdict, inTurns, judgeTwice, verdictOn } from './verdict.ts'

/**
 * Servers that stand before one reference server, which is then stopped: it gets about ten keys for each of them, and
 * its page, which lists all keys, is loaded after every revocation.
 */
const BEFORE_ONE_SERVER = 52

/** The limit of the key that faulty servers use instead of a refused one. */
const NO_LIMIT = { requests: 1_000_000, windowSeconds: 60 }

interface ServerRun extends MutantRun {
  readonly options: Options
  readonly catalogue: Catalogue
}

/** Judges these servers and returns the verdicts in their order. Throws `StartError` if the reference server does not start. */
export async function judgeFaultyServers(run: ServerRun): Promise<readonly MutantVerdict[]> {
  const servers = Math.ceil(run.mutants.length / BEFORE_ONE_SERVER)
  const verdicts: MutantVerdict[] = []
  for (let server = 0; server < servers; server++) {
    // Every reference server gets some of each section. The odd ones are slow and listed last: they begin first, so that
    // the machine is not idle at the end of each turn.
    const mutants = run.mutants.filter((_, index) => index % servers === server).toReversed()
    verdicts.push(...(await judgeTogether(mutants, run)))
  }
  const order = new Map(run.mutants.map((mutant, index) => [mutant, index]))
  return verdicts.toSorted((a, b) => (order.get(a.mutant) ?? 0) - (order.get(b.mutant) ?? 0))
}

async function judgeTogether(mutants: readonly Mutant[], run: ServerRun): Promise<readonly MutantVerdict[]> {
  const { signal } = run
  await using server = await startReferenceServer(signal, () => undefined)
  using session = openKeySession(server.keyCommand.words, server.keyCommand.env)
  const keyMaker = createKeyMaker({ words: [], run: session.run, onSecret: () => undefined })
  const { secret } = await keyMaker.create({ limit: NO_LIMIT })
  const ids = mutants.map(({ id }) => id)
  await using faulty = await startFaultyServers(ids, server.baseUrl, secret, signal)
  return await inTurns(mutants, async (mutant) => {
    const baseUrl = faulty.urls.get(mutant.id) ?? ''
    const own = usesOwnDashboard(mutant)
      ? keyMakerAt(baseUrl, server)
      : mutant.kind === 'oddity' && mutant.keyless
        ? undefined
        : keyMaker
    const options = optionsFor(mutant, run.options)
    const [first, again] = selectionsFor(mutant, run.catalogue, options.profile)
    const selections = [first]
    const verdict = await judgeTwice(() => {
      const selection = selections.shift() ?? again
      return judgeMutant(mutant, { baseUrl, keyMaker: own, selection, options }, run)
    })
    run.onVerdict?.(verdict)
    return verdict
  })
}

interface Try {
  readonly baseUrl: string
  /** Undefined if the server needs no key. */
  readonly keyMaker: KeyMaker | undefined
  readonly selection: Selection
  readonly options: Options
}

function optionsFor({ flags }: Mutant, options: Options): Options {
  if (flags.length === 0) return options
  const { runs, concurrency } = options
  return { ...readOptions(['mutants', ...flags], {}), runs, concurrency }
}

async function judgeMutant(
  mutant: Mutant,
  { baseUrl, keyMaker, selection, options }: Try,
  { catalogue, seed, signal }: ServerRun,
): Promise<MutantVerdict> {
  try {
    const { results } = await judgeTarget({
      options: settingsOf({
        ...options,
        baseUrl,
        only: undefined,
        model: options.models[0] ?? 'svc-0.1-echo',
        concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
        // The keys in the environment belong to another service.
        credentials: {},
        // An odd server is judged like an unknown one: without a given token id.
        token: mutant.kind === 'fault' ? ECHO_TOKEN : undefined,
      }),
      selection,
      baseUrl,
      keyMaker,
      seed,
      signal,
      events: { onBegin() {}, onProgress() {}, onFault() {} },
    })
    signal.throwIfAborted()
    return verdictOn(mutant, rollUp(results), covered(catalogue))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { ...verdictOn(mutant, [], covered(catalogue)), note: error.message }
  }
}

/** A fault of the dashboard, or of the keys that are made there, shows only through the faulty server. */
function usesOwnDashboard(mutant: Mutant): boolean {
  return mutant.watchesKeys === true || (mutant.kind === 'fault' && mutant.alone)
}

function keyMakerAt(dashboard: string, { keyCommand }: ReferenceServer): KeyMaker {
  const env = { ...keyCommand.env, DASHBOARD_URL: dashboard }
  return createKeyMaker({ words: keyCommand.words, env, onSecret: () => undefined })
}
