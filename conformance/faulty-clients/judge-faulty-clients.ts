// Judges every faulty and odd client with the whole catalogue of clients, many at a time: most of a run is waiting.
import { spawn } from 'node:child_process'
import { z } from 'zod'
import type { ClientSettings } from '../clients/client-settings.ts'
import { judgeSeen } from '../clients/judge-client.ts'
import { withClientSeen } from '../clients/judge-command.ts'
import { clientRows, selectChecks } from '../clients/scenarios.ts'
import { startScriptedService } from '../clients/scripted-service/service.ts'
import { type Mutant, mutant } from '../faulty-servers/faulty-servers.ts'
import { type MutantVerdict, isRight, verdictOn } from '../faulty-servers/verdict.ts'
import { rollUp } from '../verdict/verdict.ts'
import { entry, startClientPool } from './pool.ts'

/** Clients that are judged at a time, and the calls of each side by side. */
const AT_A_TIME = 12
const CONCURRENCY = 32
/** Calls at once of a client, where a scenario wants several. */
const AT_ONCE = 16

/** What `fixtures/faulty-clients/main.ts --list` prints. */
export async function listFaultyClients(): Promise<readonly Mutant[]> {
  const child = spawn(process.execPath, [entry, '--list'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pieces = await child.stdout.setEncoding('utf8').toArray()
  return z.array(mutant).parse(JSON.parse(pieces.join('')))
}

export interface FaultyClientRun {
  readonly clients: readonly Mutant[]
  readonly settings: ClientSettings
  readonly signal: AbortSignal
  readonly onVerdict?: (verdict: MutantVerdict) => void
}

/**
 * Judges these clients and returns the verdicts in their order. Where the judge was wrong, as it may be about times on a
 * machine that does so much at once, it judges once more, one client after the other.
 */
export async function judgeFaultyClients(run: FaultyClientRun): Promise<readonly MutantVerdict[]> {
  const pool = startClientPool()
  const settings = { ...run.settings, concurrency: CONCURRENCY, atOnce: AT_ONCE }
  const selection = selectChecks(undefined)
  const covered = new Set<string>(clientRows.map(({ id }) => id))

  async function judge(client: Mutant): Promise<MutantVerdict> {
    const seed = settings.seed ?? 0
    const start = pool.starterOf(client.id)
    // The clients are in a process of their own, which is started once: nothing here delays the service.
    const serve = startScriptedService
    const results = await withClientSeen(
      { settings, selection, seed, start, serve, signal: run.signal },
      (seen) => judgeSeen(selection, seen, { strict: false, interrupted: false }),
    )
    run.signal.throwIfAborted()
    const rows = rollUp(results)
    const open = rows.filter(({ outcome }) => outcome === 'inconclusive').map(({ id }) => id)
    const verdict = verdictOn(client, rows, covered)
    return open.length === 0 ? verdict : { ...verdict, note: `inconclusive: ${open.join(' ')}` }
  }

  try {
    const verdicts: MutantVerdict[] = []
    const waiting = run.clients.entries()
    async function work(): Promise<void> {
      for (const [index, mutant] of waiting) verdicts[index] = await judge(mutant)
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, work))
    for (const [index, verdict] of verdicts.entries()) {
      if (!isRight(verdict)) verdicts[index] = await judge(verdict.mutant)
      run.onVerdict?.(verdicts[index] ?? verdict)
    }
    return verdicts
  } finally {
    await pool.stop()
  }
}
