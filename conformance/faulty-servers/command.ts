// The command `mutants`: judges the judge by servers that are known to be faulty, or odd and right.
import { randomInt } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Catalogue, globMatcher } from '../catalogue/catalogue.ts'
import type { Options } from '../cli/options.ts'
import { consoleOptions, createPen } from '../../harness/cli/pen.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { listFaultyClients } from '../faulty-clients/judge-faulty-clients.ts'
import { figuresIn, figuresOf, renderFigures, renderWrong, withFigures } from './derived-figures.ts'
import { sampleOf } from './derived-run.ts'
import { listMutants, type Mutant } from './faulty-servers.ts'
import { judgeMutants } from './judge-mutants.ts'
import { renderPage, renderSummary, renderVerdict } from './render.ts'
import { isRight, type MutantVerdict } from './verdict.ts'

/**
 * Runs the command and returns its exit code: 0 where the judge is right about every server, else 1. `--only` selects
 * servers by their id or the row that they break, `--sample` draws some of them by the seed, and `--derived` takes the
 * derived ones in the place of the table. `--markdown` writes the page of all of them.
 */
export async function mutants(options: Options, catalogue: Catalogue, signal: AbortSignal): Promise<number> {
  const { junit, html, json, markdown } = options.reports
  const { derived, sample, only } = options
  if (options.baseUrl !== undefined)
    throw new UsageError('mutants: --base-url has no meaning, they stand before the reference server')
  if (junit !== undefined || html !== undefined || json !== undefined)
    throw new UsageError('mutants: writes --markdown only')
  if (derived && markdown !== undefined && only !== undefined)
    throw new UsageError(
      'mutants: --derived --markdown writes figures of all servers, or of a sample of them: without --only',
    )
  const all = await listMutants({ derived })
  const seed = options.seed ?? randomInt(2 ** 32)
  const matching = all.filter(matcherOf(only))
  const selected = sample === undefined ? matching : sampleOf(matching, sample, seed)
  if (selected.length === 0) throw new UsageError(`--only ${only}: no faulty server matches`)

  const pen = createPen(consoleOptions(process.stdout, process.env))
  const show = (verdict: MutantVerdict): void => {
    if (!derived || !isRight(verdict)) process.stdout.write(`${renderVerdict(verdict, pen)}\n`)
  }
  process.stdout.write(`Judging ${selected.length} servers, seed ${seed}, --runs ${options.runs}\n`)
  const verdicts = await judgeMutants({
    mutants: selected,
    options,
    catalogue,
    seed,
    signal,
    onVerdict: show,
  })
  if (derived)
    process.stdout.write(
      `\n${renderWrong(verdicts)}\n\n${renderFigures(figuresOf(verdicts))}\n${renderCost(verdicts)}\n`,
    )
  else process.stdout.write(`\n${renderSummary(verdicts, pen)}\n`)
  if (markdown !== undefined) {
    const page = existsSync(markdown) ? readFileSync(markdown, 'utf8') : ''
    writeFileSync(
      markdown,
      derived
        ? withFigures(page, verdicts, { seed, of: all.length, runs: options.runs })
        : renderPage(all, figuresIn(page), await listFaultyClients()),
    )
  }
  return verdicts.every(isRight) ? 0 : 1
}

/** What the run took of this process: the servers are others. */
function renderCost(verdicts: readonly MutantVerdict[]): string {
  const { user, system } = process.cpuUsage()
  return `${((user + system) / 1e6 / verdicts.length).toFixed(2)} CPU seconds of the judge for each server`
}

function matcherOf(only: string | undefined): (mutant: Mutant) => boolean {
  const matches = only === undefined ? () => true : globMatcher(only)
  return (mutant) => matches(mutant.id) || (mutant.kind === 'fault' && matches(mutant.requirement))
}
