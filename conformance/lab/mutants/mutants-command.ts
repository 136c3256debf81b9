// The command `mutants`: judges the judge, by servers, clients or gateways that are known to be faulty, or odd and compliant.
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { tierOf } from '../../../spec/catalogue/requirements.ts'
import { checkMatcher, narrowedBy } from '../../contract/selection.ts'
import { consoleOptions, createPen } from '../../../harness/cli/pen.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { faultyClients } from './client-pool.ts'
import { faultyGateways } from './gateway-pool.ts'
import { type MutantRun, judgeMutants } from './judge-mutants.ts'
import { killTable, NOTHING_PINNED, renderKillTable, withRuns } from './kill-table.ts'
import { listAllMutants } from './mutant.ts'
import type { MutantOptions } from './mutant-options.ts'
import { isRight } from './mutant-verdict.ts'
import { renderPage, renderSummary, renderVerdict } from './mutants-page.ts'
import { sampleOf } from './sample.ts'
import { faultyServers } from './server-pool.ts'

/**
 * Runs the command and returns its exit code: 0 if the judge is right about every mutant, else 1. `--only` selects
 * mutants by their id or the row that they break, `--tier` by the tier of that row, `--sample` draws some of them by the seed, `--derived` uses the derived
 * servers instead of the table, `--clients` the clients, and `--gateways` the gateways. `--markdown` writes the page of
 * all of them, and beside it the kill table: the checks that are decisive for a mutant in three runs with different seeds.
 */
export async function mutants(
  options: MutantOptions,
  readFlags: MutantRun['readFlags'],
  signal: AbortSignal,
): Promise<number> {
  checkOptions(options)
  const { clients, gateways, derived, sample, only, tier, runs, markdown } = options
  const seed = options.seed ?? randomInt(2 ** 32)
  const kind = clients ? faultyClients : gateways ? faultyGateways : faultyServers
  const { noun } = kind
  const lists = await listAllMutants()
  const matches = checkMatcher(only)
  const matching = (derived ? lists.derived : lists[`${noun}s`]).filter((mutant) => {
    const row = mutant.kind === 'fault' ? mutant.requirement : ''
    return matches({ id: mutant.id, requirement: row }) && (tier === undefined || tierOf(row) === tier)
  })
  const selected = sample === undefined ? matching : sampleOf(matching, sample, seed)
  if (selected.length === 0) throw new UsageError(`${narrowedBy(options)}: no faulty ${noun} matches`)

  const pen = createPen(consoleOptions(process.stdout, process.env))
  const cases = clients ? '' : `, --runs ${runs}`
  process.stdout.write(`Judging ${selected.length} ${noun}s, seed ${seed}${cases}\n`)
  const run = { mutants: selected, seed, options, readFlags, signal }
  const verdicts = await judgeMutants(kind, {
    ...run,
    ...(markdown === undefined ? {} : { pinned: NOTHING_PINNED }),
    onVerdict(verdict): void {
      if (!derived || !isRight(verdict)) process.stdout.write(`${renderVerdict(verdict, pen)}\n`)
    },
  })
  process.stdout.write(`\n${renderSummary(verdicts, pen)}\n`)
  if (markdown !== undefined) {
    const runs = [verdicts]
    for (const other of [seed + 1, seed + 2])
      runs.push(await judgeMutants(kind, { ...run, seed: other, brief: true, pinned: NOTHING_PINNED }))
    const ids = new Set(Object.values(lists).flatMap((list) => list.map(({ id }) => id)))
    const table = withRuns(killTable, `${noun}s`, runs)
    writeFileSync(markdown, renderPage(lists))
    writeFileSync(
      `${markdown.replace(/\.md$/, '')}.json`,
      renderKillTable(table, (id) => ids.has(id)),
    )
  }
  return verdicts.every(isRight) ? 0 : 1
}

function checkOptions({ baseUrl, clients, gateways, derived, junit, html, json }: MutantOptions): void {
  if (clients && derived) throw new UsageError('--clients: no client is derived, leave --derived out')
  if (gateways && (clients || derived))
    throw new UsageError('--gateways: judges gateways alone, leave --clients and --derived out')
  if (!clients && baseUrl !== undefined)
    throw new UsageError('mutants: --base-url has no meaning, they stand before the reference server')
  if ((junit ?? html ?? json) !== undefined) throw new UsageError('mutants: writes --markdown only')
}
