// The command `mutants --clients`: judges the judge of clients by clients that are known to be faulty, or odd and right.
import { randomInt } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { globMatcher } from '../catalogue/catalogue.ts'
import type { Options } from '../cli/options.ts'
import { clientSettings } from '../clients/client-settings.ts'
import { consoleOptions, createPen } from '../../harness/cli/pen.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { figuresIn } from '../faulty-servers/derived-figures.ts'
import { sampleOf } from '../faulty-servers/derived-run.ts'
import { listMutants, type Mutant } from '../faulty-servers/faulty-servers.ts'
import { renderPage, renderSummary, renderVerdict } from '../faulty-servers/render.ts'
import { isRight } from '../faulty-servers/verdict.ts'
import { judgeFaultyClients, listFaultyClients } from './judge-faulty-clients.ts'

/**
 * Runs the command and returns its exit code: 0 where the judge is right about every client, else 1. `--only` selects
 * them by their id or the row that they break, `--sample` draws some by the seed; `--markdown` writes the page of all.
 */
export async function mutantClients(options: Options, signal: AbortSignal): Promise<number> {
  const { junit, html, json, markdown } = options.reports
  const { only, sample } = options
  if (options.derived) throw new UsageError('--clients: no client is derived, leave --derived out')
  if (junit !== undefined || html !== undefined || json !== undefined)
    throw new UsageError('mutants: writes --markdown only')
  const all = await listFaultyClients()
  const seed = options.seed ?? randomInt(2 ** 32)
  const matches = only === undefined ? () => true : globMatcher(only)
  const isMeant = (client: Mutant): boolean =>
    matches(client.id) || (client.kind === 'fault' && matches(client.requirement))
  const matching = all.filter(isMeant)
  const selected = sample === undefined ? matching : sampleOf(matching, sample, seed)
  if (selected.length === 0) throw new UsageError(`--only ${only}: no faulty client matches`)

  const pen = createPen(consoleOptions(process.stdout, process.env))
  process.stdout.write(`Judging ${selected.length} clients, seed ${seed}\n`)
  const verdicts = await judgeFaultyClients({
    clients: selected,
    settings: clientSettings({ seed }),
    signal,
    onVerdict: (verdict) => process.stdout.write(`${renderVerdict(verdict, pen)}\n`),
  })
  process.stdout.write(`\n${renderSummary(verdicts, pen)}\n`)
  if (markdown !== undefined) {
    const page = existsSync(markdown) ? readFileSync(markdown, 'utf8') : ''
    writeFileSync(markdown, renderPage(await listMutants(), figuresIn(page), all))
  }
  return verdicts.every(isRight) ? 0 : 1
}
