// The command `mutants`: judges the judge, by servers, clients or gateways that are known to be faulty, or odd and compliant.
import { randomInt } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Catalogue, checkMatcher } from '../../subjects/server/selection.ts'
import type { Options } from '../../cli/options.ts'
import { consoleOptions, createPen } from '../../../harness/cli/pen.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { figuresIn, renderFigures, renderWrong, withFigures } from './derived-figures.ts'
import { sampleOf } from './derived-run.ts'
import { judgeFaultyClients } from './judge-clients.ts'
import { judgeFaultyGateways } from './judge-gateways.ts'
import { judgeFaultyServers } from './judge-servers.ts'
import { listFaultyClients, listFaultyGateways, listFaultyServers } from './mutant.ts'
import { renderPage, renderSummary, renderVerdict } from './render.ts'
import { isRight, type MutantVerdict } from './verdict.ts'

/**
 * Runs the command and returns its exit code: 0 if the judge is right about every mutant, else 1. `--only` selects
 * mutants by their id or the row that they break, `--sample` draws some of them by the seed, `--derived` uses the derived
 * servers instead of the table, `--clients` the clients, and `--gateways` the gateways. `--markdown` writes the page of
 * all of them.
 */
export async function mutants(options: Options, catalogue: Catalogue, signal: AbortSignal): Promise<number> {
  checkOptions(options)
  const { clients, gateways, derived, sample, only, runs } = options
  const seed = options.seed ?? randomInt(2 ** 32)
  const noun = clients ? 'client' : gateways ? 'gateway' : 'server'
  const { list, judge } = {
    client: { list: listFaultyClients, judge: judgeFaultyClients },
    gateway: { list: listFaultyGateways, judge: judgeFaultyGateways },
    server: { list: listFaultyServers, judge: judgeFaultyServers },
  }[noun]
  const all = await list({ derived })
  const matches = checkMatcher(only)
  const matching = all.filter((mutant) =>
    matches({ id: mutant.id, requirement: mutant.kind === 'fault' ? mutant.requirement : '' }),
  )
  const selected = sample === undefined ? matching : sampleOf(matching, sample, seed)
  if (selected.length === 0) throw new UsageError(`--only ${only}: no faulty ${noun} matches`)

  const pen = createPen(consoleOptions(process.stdout, process.env))
  const run = {
    mutants: selected,
    seed,
    signal,
    runs,
    options,
    catalogue,
    onVerdict(verdict: MutantVerdict): void {
      if (!derived || !isRight(verdict)) process.stdout.write(`${renderVerdict(verdict, pen)}\n`)
    },
  }
  const cases = clients ? '' : `, --runs ${runs}`
  process.stdout.write(`Judging ${selected.length} ${noun}s, seed ${seed}${cases}\n`)
  const verdicts = await judge(run)
  process.stdout.write(`\n${derived ? renderDerived(verdicts) : renderSummary(verdicts, pen)}\n`)
  const { markdown: file } = options
  if (file !== undefined) {
    const page = existsSync(file) ? readFileSync(file, 'utf8') : ''
    writeFileSync(
      file,
      derived
        ? withFigures(page, verdicts, { seed, of: all.length, runs })
        : renderPage(
            {
              servers: await listFaultyServers(),
              clients: await listFaultyClients(),
              gateways: await listFaultyGateways(),
            },
            figuresIn(page),
          ),
    )
  }
  return verdicts.every(isRight) ? 0 : 1
}

function checkOptions({ baseUrl, clients, gateways, derived, only, ...reports }: Options): void {
  const { markdown, junit, html, json } = reports
  if (clients && derived) throw new UsageError('--clients: no client is derived, leave --derived out')
  if (gateways && (clients || derived))
    throw new UsageError('--gateways: judges gateways alone, leave --clients and --derived out')
  if (!clients && baseUrl !== undefined)
    throw new UsageError('mutants: --base-url has no meaning, they stand before the reference server')
  if ((junit ?? html ?? json) !== undefined) throw new UsageError('mutants: writes --markdown only')
  if (derived && markdown !== undefined && only !== undefined)
    throw new UsageError(
      'mutants: --derived --markdown writes figures of all servers, or of a sample of them: without --only',
    )
}

/** The wrong verdicts, the figures, and the CPU time of this process: the servers run in others. */
function renderDerived(verdicts: readonly MutantVerdict[]): string {
  const { user, system } = process.cpuUsage()
  const seconds = ((user + system) / 1e6 / verdicts.length).toFixed(2)
  return `${renderWrong(verdicts)}\n\n${renderFigures(verdicts)}\n${seconds} CPU seconds of the judge for each server`
}
