// `--plan`: what a run would send, by section, without sending anything.
import { type Catalogue, select } from '../subjects/server/selection.ts'
import { asOf, catalogueVersion } from '../contract/catalogue-version.ts'
import { estimate } from '../subjects/server/cost-estimate.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Options } from './options.ts'

/** The plan as text. Throws `UsageError` if nothing matches. */
export function plan(options: Options, all: Catalogue): string {
  const { catalogue } = asOf(all, catalogueVersion(options.catalogue, '--catalogue'))
  const selection = select(catalogue, options)
  if (selection.cases.length + selection.observers.length === 0)
    throw new UsageError(`--only ${options.only}: no check matches`)
  const { sections, discovery, total } = estimate(selection, options.runs)
  const line = (name: string, checks: number | string, requests: number, tokens: number): string =>
    `${name.padEnd(24)}${String(checks).padStart(8)}${String(requests).padStart(10)}${String(tokens).padStart(10)}`
  const models = Math.max(1, options.models.length)
  return [
    `${'section'.padEnd(24)}${'checks'.padStart(8)}${'requests'.padStart(10)}${'tokens'.padStart(10)}`,
    ...sections.map(({ name, checks, requests, tokens }) => line(name, checks, requests, tokens)),
    line('finding out the target', '', discovery.requests, discovery.tokens),
    line('in all, about', total.checks, total.requests, total.tokens),
    ...(models === 1 ? [] : [`for each of ${models} models`]),
    '',
    'Measured on the echo model of the reference server: a model that talks costs up to its bound on tokens instead.',
    'Nothing was sent.',
    '',
  ].join('\n')
}
