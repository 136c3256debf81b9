// Judges every faulty and odd server with the whole catalogue, several at a time, before one reference server.
import type { Catalogue } from '../catalogue.ts'
import { covered, select } from '../catalogue.ts'
import { judgeTarget } from '../judge-target.ts'
import { createKeyMaker, type KeyMaker } from '../key-command.ts'
import type { Options } from '../options.ts'
import { createRedactor } from '../redact.ts'
import { type ReferenceServer, startReferenceServer } from '../reference-server.ts'
import { UsageError } from '../usage-error.ts'
import { rollUp } from '../verdict.ts'
import { type Mutant, startFaultyServers } from './faulty-servers.ts'
import { type MutantVerdict, verdictOn } from './verdict.ts'

/** Servers that are judged at a time: most of a run is waiting for limits. */
const AT_A_TIME = 6

/** The limit of the key that faulty servers put in the place of a refused one. */
const NO_LIMIT = { requests: 1_000_000, windowSeconds: 60 }

export interface MutantRun {
  readonly mutants: readonly Mutant[]
  readonly options: Options
  readonly catalogue: Catalogue
  readonly seed: number
  readonly signal: AbortSignal
  readonly onVerdict?: (verdict: MutantVerdict) => void
}

/** Judges these servers and returns the verdicts in their order. Throws `StartError` where nothing can be judged. */
export async function judgeMutants(run: MutantRun): Promise<readonly MutantVerdict[]> {
  const { mutants, signal } = run
  const server = await startReferenceServer(signal, () => undefined)
  try {
    const keyMaker = keyMakerOf(server, server.baseUrl)
    const { secret } = await keyMaker.create({ limit: NO_LIMIT })
    const ids = mutants.map(({ id }) => id)
    const faulty = await startFaultyServers(ids, server.baseUrl, secret, signal)
    try {
      const waiting = [...mutants]
      const verdicts = new Map<string, MutantVerdict>()
      const worker = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const verdict = await judgeMutant(next, faulty.urls.get(next.id) ?? '', server, run)
          verdicts.set(next.id, verdict)
          run.onVerdict?.(verdict)
        }
      }
      await Promise.all(Array.from({ length: AT_A_TIME }, worker))
      return mutants.map(({ id }) => verdicts.get(id)).filter((verdict) => verdict !== undefined)
    } finally {
      await faulty.stop()
    }
  } finally {
    await server.stop()
  }
}

async function judgeMutant(
  mutant: Mutant,
  baseUrl: string,
  server: ReferenceServer,
  { options, catalogue, seed, signal }: MutantRun,
): Promise<MutantVerdict> {
  const alone = mutant.kind === 'fault' && mutant.alone
  const only = alone ? mutant.requirement : undefined
  try {
    const { results } = await judgeTarget({
      options: { ...options, baseUrl, only, model: options.model ?? 'svc-0.1-echo' },
      selection: select(catalogue, options.profile, only),
      baseUrl,
      // A fault of the dashboard shows behind the faulty server only.
      keyMaker: keyMakerOf(server, alone ? baseUrl : server.baseUrl),
      redactor: createRedactor(),
      seed,
      signal,
      events: { onBegin() {}, onProgress() {}, onFault() {} },
    })
    return verdictOn(mutant, rollUp(results), covered(catalogue))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { ...verdictOn(mutant, [], covered(catalogue)), note: error.message }
  }
}

function keyMakerOf({ keyCommand }: ReferenceServer, dashboard: string): KeyMaker {
  const env = { ...keyCommand.env, DASHBOARD_URL: dashboard }
  return createKeyMaker({ words: keyCommand.words, env, onSecret: () => undefined })
}
