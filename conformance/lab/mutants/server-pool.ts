// Faulty and odd servers before one reference server, judged by the whole catalogue or by the rows of the kill table.
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { createKeyMaker } from '../../../harness/keys/key-command.ts'
import { startKeyedServer } from '../../../harness/reference-server.ts'
import { type Selection, loadServer } from '../../subjects/index.ts'
import { DEFAULT_CONCURRENCY, settingsOf } from '../../contract/settings.ts'
import { ECHO_TOKEN } from '../../facts/known-token.ts'
import { startFaultyServers } from './faulty-servers.ts'
import type { JudgedMutant, MutantKind, MutantPool, MutantRun } from './judge-mutants.ts'
import type { Mutant } from './mutant.ts'
import type { MutantOptions } from './mutant-options.ts'
import { rowsInTable } from './mutant-verdict.ts'

/**
 * Servers that stand before one reference server, which is then stopped: it gets about ten keys for each of them, and
 * its page, which lists all keys, is loaded after every revocation.
 */
const BEFORE_ONE_SERVER = 52

/** The limit of the key that faulty servers use instead of a refused one. */
const NO_LIMIT = { requests: 1_000_000, windowSeconds: 60 }

/** Rows that are judged for every derived server: hardly any derived fault breaks them, and each sends few requests. */
const BESIDE: readonly RequirementId[] = [
  'AUTH-3',
  'CHAT-3',
  'CHAT-7',
  'ERR-3',
  'MODEL-1',
  'STREAM-2',
  'WIRE-4',
]

/** Rows whose requests produce every form of an answer and of an error for observers. */
const TRAFFIC: readonly RequirementId[] = [
  'WIRE-6',
  'WIRE-7',
  'WIRE-19',
  'STREAM-5',
  'STREAM-7',
  'TOOL-3',
  'CHAT-3',
  'CHAT-4',
  'MODEL-2',
]

export const faultyServers: MutantKind = {
  noun: 'server',
  together: BEFORE_ONE_SERVER,
  start: startServers,
}

/** Throws `StartError` if the reference server does not start. */
async function startServers(mutants: readonly Mutant[], run: MutantRun): Promise<MutantPool> {
  const { signal } = run
  const subject = await loadServer()
  await using starting = new AsyncDisposableStack()
  const server = starting.use(await startKeyedServer(signal, () => undefined))
  const { keyMaker } = server
  const { secret } = await keyMaker.create({ limit: NO_LIMIT })
  const ids = mutants.map(({ id }) => id)
  const faulty = starting.use(await startFaultyServers(ids, server.baseUrl, secret, signal))

  function keyMakerFor(mutant: Mutant, baseUrl: string) {
    if (!usesOwnDashboard(mutant)) return mutant.kind === 'oddity' && mutant.keyless ? undefined : keyMaker
    const env = { ...server.keyCommand.env, DASHBOARD_URL: baseUrl }
    return createKeyMaker({ words: server.keyCommand.words, env, onSecret: () => undefined })
  }

  async function judge(mutant: Mutant, isAgain: boolean): Promise<JudgedMutant> {
    const baseUrl = faulty.urls.get(mutant.id) ?? ''
    const options = optionsFor(mutant, run)
    const only = mutant.kind === 'fault' && mutant.alone ? mutant.requirement : undefined
    const whole = subject.selection(subject.catalogue, { profile: options.profile, only })
    const isWhole = only !== undefined || (run.brief !== true && (mutant.parts === undefined || isAgain))
    try {
      const { results } = await subject.runChecks({
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
        selection: isWhole ? whole : briefly(mutant, whole),
        baseUrl,
        keyMaker: keyMakerFor(mutant, baseUrl),
        seed: run.seed,
        signal,
        events: { onBegin() {}, onProgress() {}, onFault() {} },
      })
      return { checks: results }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      return { checks: [], note: error.message }
    }
  }

  const started = starting.move()
  const covered = subject.covered(subject.catalogue)
  return { covered, judge, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

function optionsFor({ flags }: Mutant, { options, readFlags }: MutantRun): MutantOptions {
  if (flags.length === 0) return options
  const { runs, concurrency } = options
  return { ...readFlags(flags), runs, concurrency }
}

/** A fault of the dashboard, or of the keys that are made there, shows only through the faulty server. */
function usesOwnDashboard(mutant: Mutant): boolean {
  return mutant.watchesKeys === true || (mutant.kind === 'fault' && mutant.alone)
}

/**
 * The part of a selection whose results the kill table holds, and a few other checks for a derived server: those that the
 * part does not catch are judged again by the whole, so that a run over all of them is affordable and complete.
 */
function briefly(mutant: Mutant, whole: Selection): Selection {
  const rows = rowsInTable(mutant)
  const judged = new Set<RequirementId>(mutant.parts === undefined ? rows : [...rows, ...BESIDE])
  const observers = whole.observers.filter(({ requirement }) => rows.includes(requirement))
  const shown = new Set<RequirementId>(observers.length === 0 ? [] : TRAFFIC)
  return {
    cases: whole.cases.filter(({ requirement }) => judged.has(requirement)),
    observers,
    traffic: whole.cases.filter(({ requirement }) => !judged.has(requirement) && shown.has(requirement)),
  }
}
