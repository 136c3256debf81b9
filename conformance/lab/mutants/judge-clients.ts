// Judges every faulty and odd client by the whole catalogue of clients, many at a time: most of a run is waiting.
import { clientSettings } from '../../subjects/client/settings.ts'
import { judgeObserved } from '../../subjects/client/judge-observed.ts'
import { observeClient } from '../../subjects/client/judge.ts'
import { clientRows, selectChecks } from '../../subjects/client/catalogue.ts'
import { startScriptedService } from '../../../harness/scripted-service/service.ts'
import { rollUp } from '../../contract/verdict.ts'
import { startClientPool } from './client-pool.ts'
import type { Mutant } from './mutant.ts'
import { type MutantRun, type MutantVerdict, judgeAll, verdictOn } from './verdict.ts'

/** The calls of each client side by side. */
const CONCURRENCY = 32

/**
 * Judges these clients and returns the verdicts in their order. If the judge was wrong, perhaps about times on a busy
 * machine, it judges again after all others, one client after the other.
 */
export async function judgeFaultyClients(run: MutantRun): Promise<readonly MutantVerdict[]> {
  const { seed, signal } = run
  await using pool = startClientPool()
  const settings = clientSettings({ seed, concurrency: CONCURRENCY })
  const selection = selectChecks(undefined)
  const covered = new Set<string>(clientRows.map(({ id }) => id))

  async function judge(client: Mutant): Promise<MutantVerdict> {
    const start = pool.starterOf(client.id)
    // The clients run in one process of their own, so nothing here delays the service.
    const serve = startScriptedService
    const { observed } = await observeClient({ settings, selection, seed, start, serve, signal })
    signal.throwIfAborted()
    const results = judgeObserved(selection, observed, { strict: false, interrupted: false })
    const rows = rollUp(results)
    const open = rows.filter(({ outcome }) => outcome === 'inconclusive').map(({ id }) => id)
    const verdict = verdictOn(client, rows, covered)
    return open.length === 0 ? verdict : { ...verdict, note: `inconclusive: ${open.join(' ')}` }
  }

  return await judgeAll(run, judge)
}
