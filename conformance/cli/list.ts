// `list`: every check under its requirement, without running one.
import { writeFileSync } from 'node:fs'
import { tierOf } from '../../spec/catalogue/requirements.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Check } from '../contract/check.ts'
import { checkSet } from '../contract/check-sets.ts'
import { narrowedBy } from '../contract/selection.ts'
import { bySection, plural } from '../report/labels.ts'
import { listedSubjects } from '../subjects/listed.ts'
import type { Options } from './judge-options.ts'
import { estimateOf } from './run-plan.ts'

/** The list as text; with `--json` it is written to that file too. Throws `UsageError` if nothing matches. */
export function list(options: Options): string {
  const subjects = listedSubjects
  const set = checkSet(options.catalogue, '--catalogue')
  const isScored = ({ id }: { readonly id: string }): boolean => set === undefined || set.scored.has(id)
  const matching = subjects.map((subject) => ({ subject, all: subject.select(options) }))
  const selected = matching.map(({ subject, all }) => ({ subject, checks: all.filter(isScored) }))
  const notScored = matching.flatMap(({ all }) => all.filter((check) => !isScored(check)))
  const checks = selected.flatMap((one) => one.checks)
  if (checks.length === 0) throw new UsageError(`${narrowedBy(options)}: no check matches`)
  const judged = new Set<string>(checks.map(({ requirement }) => requirement))
  const isListed = ({ subject, checks: own }: (typeof selected)[number]): boolean =>
    own.length > 0 || subject.name === 'server'
  const rows = selected.flatMap((one) => {
    const all = one.subject.rows(options.profile)
    return isListed(one) ? all : all.filter(({ id }) => judged.has(id))
  })
  const covered = new Set<string>(
    subjects.flatMap((subject) => subject.checks.map(({ requirement }) => requirement)),
  )
  const notCovered = rows.filter(({ id }) => !covered.has(id)).map(({ id }) => id)

  if (options.json !== undefined) {
    const levels = new Map(rows.map(({ id, level }) => [id, level]))
    const listed = checks.map(({ id, requirement, title }) => {
      return { id, requirement, level: levels.get(requirement), tier: tierOf(requirement), title }
    })
    const more = set === undefined ? {} : { notScored: notScored.map(({ id }) => id) }
    writeFileSync(options.json, `${JSON.stringify({ checks: listed, notCovered, ...more }, undefined, 2)}\n`)
  }

  const lines: string[] = []
  const byRow = selected.map(({ subject, checks: own }) => {
    return { subject, ofRow: Map.groupBy<string, Check>(own, ({ requirement }) => requirement) }
  })
  const width = Math.max(...checks.map(({ id }) => id.length))
  for (const { name, rows: inSection } of bySection(rows.filter((row) => judged.has(row.id)))) {
    lines.push(name)
    for (const row of inSection) {
      lines.push(`  ${row.id} ${row.level} ${tierOf(row.id) ?? ''}`.trimEnd())
      for (const { subject, ofRow } of byRow)
        for (const check of ofRow.get(row.id) ?? [])
          lines.push(`    ${check.id.padEnd(width)}  ${check.title}${subject.noteOn(check)}`)
    }
  }
  lines.push('', `${plural(checks.length, 'check')} of ${plural(judged.size, 'requirement')}`)
  if (notScored.length > 0)
    lines.push(`not scored in ${set?.date}: ${notScored.map(({ id }) => id).join(', ')}`)
  if (narrowedBy(options) === '') {
    const { requests } = estimateOf(options).total
    lines.push(
      `a run of them all sends some ${Number(requests.toPrecision(2))} requests with --runs ${options.runs}`,
    )
    if (notCovered.length > 0) lines.push(`not covered by a case yet: ${notCovered.join(', ')}`)
  }
  return `${lines.join('\n')}\n`
}
