// `--plan`: what a run would send, by section, without sending anything.
import { UsageError } from '../../harness/cli/usage-error.ts'
import { narrowedBy } from '../contract/selection.ts'
import { listedServer } from '../subjects/listed.ts'
import type { Options } from './judge-options.ts'

/** The plan as text. Throws `UsageError` if nothing matches. */
export function plan(options: Options): string {
  const { sections, discovery, total } = estimateOf(options)
  if (total.checks === 0) throw new UsageError(`${narrowedBy(options)}: no check matches`)
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

/** The estimated cost of a run with these options. */
export function estimateOf(options: Options) {
  return listedServer.estimate(options, options.runs)
}
