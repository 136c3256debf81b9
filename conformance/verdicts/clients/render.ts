// The part of docs/clients.md that compares client libraries: rows by libraries, and each failure with its cause.
import { type RequirementId, requirements } from '../../../spec/catalogue/requirements.ts'
import { allChecks, clientRows } from '../../clients/scenarios.ts'
import { cell } from '../../report/labels.ts'
import { issueName, listed } from '../render.ts'
import type { Causes, Client, Judged, RecordedClient } from './recorded-client.ts'

const BEGIN = '<!-- libraries: `npm run clients` writes this -->'
const END = '<!-- end of libraries -->'

/** A page with the comparison between its markers. Throws where it has none. */
export function withLibraries(page: string, judged: readonly Judged[], causes: Causes): string {
  const [before, rest] = page.split(BEGIN)
  const [, after] = rest?.split(END) ?? []
  if (before === undefined || after === undefined) throw new Error(`the page has no ${BEGIN} and ${END}`)
  return `${before}${BEGIN}\n${renderLibraries(judged, causes).join('\n')}\n${END}${after}`
}

const MARKS = {
  pass: '✓',
  fail: '✗',
  warn: '!',
  'not-applicable': '–',
  inconclusive: '?',
  error: '?',
} as const

function renderLibraries(judged: readonly Judged[], causes: Causes): readonly string[] {
  const rowOf = new Map(allChecks().map(({ id, requirement }) => [id, requirement]))
  const failing = (verdict: RecordedClient, row: RequirementId): number =>
    Object.keys(verdict.failed).filter((id) => rowOf.get(id) === row).length
  return [
    `| row | ${judged.map((_, index) => index + 1).join(' | ')} |`,
    `|---|${'---|'.repeat(judged.length)}`,
    ...clientRows.map(({ id }) => {
      const cells = judged.map(({ verdict }) => {
        const outcome = verdict.rows.find((row) => row.id === id)?.outcome ?? 'not-applicable'
        return outcome === 'fail' ? `${MARKS.fail} ${failing(verdict, id)}` : MARKS[outcome]
      })
      return `| ${id} | ${cells.join(' | ')} |`
    }),
    '',
    ...judged.map(({ client, verdict }, index) => {
      const holds = verdict.rows.filter(({ outcome }) => outcome === 'pass' || outcome === 'warn').length
      const fails = verdict.rows.filter(({ outcome }) => outcome === 'fail').length
      return `${index + 1}. **${client.title}** ${verdict.version}: ${holds} rows hold, ${fails} do not. ${client.setup ?? 'All defaults.'}`
    }),
    '',
    ...judged.flatMap(({ client, verdict }) => renderClient(client, verdict, causes, rowOf)),
  ].slice(0, -1)
}

function renderClient(
  { title, version }: Client,
  { failed, inconclusive }: RecordedClient,
  causes: Causes,
  rowOf: ReadonlyMap<string, RequirementId>,
): readonly string[] {
  const names = [...new Set(Object.values(failed))]
  const unjudged = inconclusive.length === 0 ? [] : [`Not judged: ${listed(inconclusive)}.`, '']
  if (names.length === 0) return [`### ${title} ${version}`, '', 'Nothing fails.', '', ...unjudged]
  return [
    `### ${title} ${version}`,
    '',
    '| what it does | rows | checks |',
    '|---|---|---|',
    ...names.map((name) => {
      const checks = Object.keys(failed).filter((id) => failed[id] === name)
      const own = new Set(checks.map((id) => rowOf.get(id)))
      const rows = requirements.filter(({ id }) => own.has(id)).map(({ id }) => id)
      const { cause, issues = [] } = causes[name] ?? { cause: name }
      const known = issues.map((issue) => ` [${issueName(issue)}](${issue})`).join('')
      return `| ${cell(cause)}${known} | ${rows.join(', ')} | ${listed(checks)} |`
    }),
    '',
    ...unjudged,
  ]
}
