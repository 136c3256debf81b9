// `list`: every check under its requirement, without running one.
import { writeFileSync } from 'node:fs'
import { type Catalogue, type Selection, covered, select } from '../subjects/server/selection.ts'
import { asOf, catalogueVersion } from '../contract/catalogue-version.ts'
import { estimate } from '../subjects/server/cost-estimate.ts'
import type { Options } from './options.ts'
import { allChecks, clientRows, selectChecks } from '../subjects/client/catalogue.ts'
import * as ofGateways from '../subjects/gateway/catalogue.ts'
import { bySection, plural } from '../report/labels.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { rowsOf } from '../contract/verdict.ts'

/** About how many requests a run sends, to two digits. */
export function requestsOf(selection: Selection, runs: number): number {
  return Number(estimate(selection, runs).total.requests.toPrecision(2))
}

/** The list as text; with `--json` it is written to that file too. Throws `UsageError` if nothing matches. */
export function list(options: Options, all: Catalogue): string {
  const { catalogue } = asOf(all, catalogueVersion(options.catalogue, '--catalogue'))
  const selection = select(catalogue, options)
  const { cases, observers } = selection
  const clients =
    options.profile === 'service' ? selectChecks(options.only).checks.map(({ check }) => check) : []
  const gateways =
    options.profile === 'service' ? ofGateways.selectChecks(options.only, options.quick === true).checks : []
  const checks = [...cases, ...observers, ...clients, ...gateways]
  if (checks.length === 0) throw new UsageError(`--only ${options.only}: no check matches`)
  const rows = [
    ...rowsOf(options.profile),
    ...(clients.length === 0 ? [] : clientRows),
    ...(gateways.length === 0 ? [] : ofGateways.gatewayRows),
  ]
  const stands = new Set<string>([
    ...covered(catalogue),
    ...[...allChecks(), ...ofGateways.allChecks()].map(({ requirement }) => requirement),
  ])
  const notCovered = rows.filter(({ id }) => !stands.has(id)).map(({ id }) => id)

  if (options.json !== undefined) {
    const levels = new Map(rows.map(({ id, level }) => [id, level]))
    const listed = checks.map(({ id, requirement, title }) => {
      return { id, requirement, level: levels.get(requirement), title }
    })
    writeFileSync(options.json, `${JSON.stringify({ checks: listed, notCovered }, undefined, 2)}\n`)
  }

  const selected = new Set<string>(checks.map(({ requirement }) => requirement))
  const lines: string[] = []
  const width = Math.max(...checks.map(({ id }) => id.length))
  const groups = [
    { own: cases, note: '' },
    { own: observers, note: ' (on every exchange)' },
    { own: clients, note: ' (of a client)' },
    { own: gateways, note: ' (of a gateway)' },
  ]
  for (const { name, rows: inSection } of bySection(rows.filter((row) => selected.has(row.id)))) {
    lines.push(name)
    for (const row of inSection) {
      lines.push(`  ${row.id} ${row.level}`)
      for (const { own, note } of groups)
        for (const { id, requirement, title } of own)
          if (requirement === row.id) lines.push(`    ${id.padEnd(width)}  ${title}${note}`)
    }
  }
  lines.push('', `${plural(checks.length, 'check')} of ${plural(selected.size, 'requirement')}`)
  if (options.only === undefined)
    lines.push(
      `a run of them all sends some ${requestsOf(selection, options.runs)} requests with --runs ${options.runs}`,
    )
  if (options.only === undefined && notCovered.length > 0)
    lines.push(`not covered by a case yet: ${notCovered.join(', ')}`)
  return `${lines.join('\n')}\n`
}
