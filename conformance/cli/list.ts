// `list`: every check under its requirement, without running one.
import { writeFileSync } from 'node:fs'
import { type Catalogue, covered, select } from '../catalogue/catalogue.ts'
import { asOf, catalogueVersion } from '../catalogue/catalogue-version.ts'
import type { Options } from './options.ts'
import { SECTIONS, plural, sectionOf } from '../report/labels.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { rowsOf } from '../verdict/verdict.ts'

/** What a whole run sends to a target that offers all: the checks beside the properties, and for each of their cases. */
const REQUESTS = { service: { fixed: 940, perRun: 27 }, wire: { fixed: 490, perRun: 27 } } as const

/** About how many requests a whole run sends, to two digits. */
export function requestsOf({ profile, runs }: Pick<Options, 'profile' | 'runs'>): number {
  const { fixed, perRun } = REQUESTS[profile]
  return Number((fixed + perRun * runs).toPrecision(2))
}

/** The list as text; with `--json` it is written to that file too. Throws `UsageError` where nothing matches. */
export function list(options: Options, all: Catalogue): string {
  const { catalogue } = asOf(all, catalogueVersion(options.catalogue, '--catalogue'))
  const { cases, observers } = select(catalogue, options.profile, options.only)
  const checks = [...cases, ...observers]
  if (checks.length === 0) throw new UsageError(`--only ${options.only}: no check matches`)
  const rows = rowsOf(options.profile)
  const stands = covered(catalogue)
  const notCovered = rows.filter(({ id }) => !stands.has(id)).map(({ id }) => id)

  if (options.reports.json !== undefined) {
    const levels = new Map(rows.map(({ id, level }) => [id, level]))
    const listed = checks.map(({ id, requirement, title }) => {
      return { id, requirement, level: levels.get(requirement), title }
    })
    writeFileSync(options.reports.json, `${JSON.stringify({ checks: listed, notCovered }, undefined, 2)}\n`)
  }

  const lines: string[] = []
  for (const { name } of SECTIONS) {
    const own = rows.filter(({ id }) => sectionOf(id) === name)
    const shown = own.filter(({ id }) => checks.some(({ requirement }) => requirement === id))
    if (shown.length > 0) lines.push(name)
    for (const { id, level } of shown) {
      lines.push(`  ${id} ${level}`)
      const width = Math.max(...checks.map((check) => check.id.length))
      for (const check of cases.filter(({ requirement }) => requirement === id))
        lines.push(`    ${check.id.padEnd(width)}  ${check.title}`)
      for (const check of observers.filter(({ requirement }) => requirement === id))
        lines.push(`    ${check.id.padEnd(width)}  ${check.title} (on every exchange)`)
    }
  }
  const judged = new Set(checks.map(({ requirement }) => requirement)).size
  lines.push('', `${plural(checks.length, 'check')} of ${plural(judged, 'requirement')}`)
  if (options.only === undefined)
    lines.push(`a run of them all sends some ${requestsOf(options)} requests with --runs ${options.runs}`)
  if (options.only === undefined && notCovered.length > 0)
    lines.push(`not covered by a case yet: ${notCovered.join(', ')}`)
  return `${lines.join('\n')}\n`
}
