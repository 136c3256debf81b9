// The command `mutants`: judges the judge by servers that are known to be faulty, or odd and right.
import { randomInt } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { type Catalogue, globMatcher } from '../catalogue/catalogue.ts'
import type { Options } from '../cli/options.ts'
import { consoleOptions, createPen } from '../../harness/cli/pen.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { listMutants, type Mutant } from './faulty-servers.ts'
import { judgeMutants } from './judge-mutants.ts'
import { renderPage, renderSummary, renderVerdict } from './render.ts'
import { isRight } from './verdict.ts'

/**
 * Runs the command and returns its exit code: 0 where the judge is right about every server, else 1. `--only` selects
 * servers by their id or the row that they break; `--markdown` writes the page of all of them.
 */
export async function mutants(options: Options, catalogue: Catalogue, signal: AbortSignal): Promise<number> {
  const { junit, html, json, markdown } = options.reports
  if (options.baseUrl !== undefined)
    throw new UsageError('mutants: --base-url has no meaning, they stand before the reference server')
  if (junit !== undefined || html !== undefined || json !== undefined)
    throw new UsageError('mutants: writes --markdown only')
  const all = await listMutants()
  const selected = all.filter(matcherOf(options.only))
  if (selected.length === 0) throw new UsageError(`--only ${options.only}: no faulty server matches`)

  const pen = createPen(consoleOptions(process.stdout, process.env))
  const seed = options.seed ?? randomInt(2 ** 32)
  process.stdout.write(`Judging ${selected.length} servers, seed ${seed}, --runs ${options.runs}\n`)
  const verdicts = await judgeMutants({
    mutants: selected,
    options,
    catalogue,
    seed,
    signal,
    onVerdict: (verdict) => void process.stdout.write(`${renderVerdict(verdict, pen)}\n`),
  })
  process.stdout.write(`\n${renderSummary(verdicts, pen)}\n`)
  if (markdown !== undefined) writeFileSync(markdown, renderPage(all))
  return verdicts.every(isRight) ? 0 : 1
}

function matcherOf(only: string | undefined): (mutant: Mutant) => boolean {
  const matches = only === undefined ? () => true : globMatcher(only)
  return (mutant) => matches(mutant.id) || (mutant.kind === 'fault' && matches(mutant.requirement))
}
