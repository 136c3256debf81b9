// The part of docs/clients.md that compares client libraries: rows by libraries, and each failure with its cause.
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import { allChecks, clientRows } from '../../clients/scenarios.ts'
import { type Marks, withSection } from '../../../harness/page-section.ts'
import { listed } from '../../report/labels.ts'
import { causeCells } from '../causes.ts'
import type { Causes, Client, Judged, RecordedClient } from './recorded-client.ts'

const SECTION: Marks = {
  begin: '<!-- libraries: `npm run clients` writes this -->',
  end: '<!-- end of libraries -->',
}

/** A page with the comparison between its marks. Throws if it has none. */
export function withLibraries(page: string, judged: readonly Judged[], causes: Causes): string {
  return withSection(page, SECTION, renderLibraries(judged, causes))
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
  const failing = (result: RecordedClient, row: RequirementId): number =>
    Object.keys(result.failed).filter((id) => rowOf.get(id) === row).length
  return [
    `| row | ${judged.map((_, index) => index + 1).join(' | ')} |`,
    `|---|${'---|'.repeat(judged.length)}`,
    ...clientRows.map(({ id }) => {
      const cells = judged.map(({ result }) => {
        const outcome = result.rows.find((row) => row.id === id)?.outcome ?? 'not-applicable'
        return outcome === 'fail' ? `${MARKS.fail} ${failing(result, id)}` : MARKS[outcome]
      })
      return `| ${id} | ${cells.join(' | ')} |`
    }),
    '',
    ...judged.map(({ client, result }, index) => {
      const holds = result.rows.filter(({ outcome }) => outcome === 'pass' || outcome === 'warn').length
      const fails = result.rows.filter(({ outcome }) => outcome === 'fail').length
      return `${index + 1}. **${client.title}** ${result.version}: ${holds} rows hold, ${fails} do not. ${client.setup ?? 'All defaults.'}`
    }),
    '',
    ...judged.flatMap(({ client, result }) => renderClient(client, result, causes, rowOf)),
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
      const { what, rows, checks } = causeCells(name, causes[name] ?? { cause: name }, failed, (check) =>
        rowOf.get(check),
      )
      return `| ${what} | ${rows} | ${checks} |`
    }),
    '',
    ...unjudged,
  ]
}
