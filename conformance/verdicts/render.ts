// The page docs/verdicts.md: servers of other people, and each of their failures with the clause that it breaks.
import { type RequirementId, requirements } from '../../spec/catalogue/requirements.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { cell, plural } from '../report/labels.ts'
import type { RecordedVerdict } from './recorded-verdict.ts'

/** The page as Markdown. Throws where a verdict names a check that is not in the catalogue. */
export function renderVerdicts(verdicts: readonly RecordedVerdict[], catalogue: Catalogue): string {
  const rows = rowsOf(catalogue)
  return [
    '# Verdicts',
    '',
    'After this page you know where well-known servers of the format differ from its requirements, and can repeat each',
    'verdict with the two commands above its table.',
    '',
    'Every failure was traced to what the server did and compared with the words of the requirement, which',
    '`npm run conformance -- explain CHAT-3` shows. A row that does not hold is no verdict on the purpose of a server: a mock',
    'answers what its user configured, an inference server accepts more than the format has.',
    '',
    'Seconds depend on the load of the machine, which was high. `npm run verdicts` writes these tables from',
    '`fixtures/verdicts/`, where every failed check stands with its cause.',
    '',
    '| server | MUSTs judged | do not hold | checks | requests | seconds |',
    '|---|---|---|---|---|---|',
    ...verdicts.map(({ server, totals }) => {
      const { musts, judged, failed, checks, requests, seconds } = totals
      return `| [${server}](#${anchor(server)}) | ${judged} of ${musts} | ${failed} | ${checks} | ${requests} | ${seconds} |`
    }),
    '',
    ...verdicts.flatMap((verdict) => renderVerdict(verdict, rows)),
  ].join('\n')
}

function renderVerdict(
  verdict: RecordedVerdict,
  rows: ReadonlyMap<string, RequirementId>,
): readonly string[] {
  const { server, version, setup, command, judged, causes, failed } = verdict
  return [
    `## ${server}`,
    '',
    `Version ${version}. ${setup}`,
    '',
    `    ${command}`,
    `    npm run conformance -- ${judged}`,
    '',
    '| what it does | expected | what came | rows | checks |',
    '|---|---|---|---|---|',
    ...Object.entries(causes).map(([key, { cause, expected, came, issues = [] }]) => {
      const checks = Object.keys(failed).filter((id) => failed[id] === key)
      const ids = new Set(checks.map((id) => rowOf(id, rows)))
      const clauses = requirements.filter(({ id }) => ids.has(id)).map(({ id }) => id)
      const known = issues.map((issue) => ` [${issueName(issue)}](${issue})`).join('')
      return `| ${cell(cause)}${known} | ${cell(expected)} | ${cell(came)} | ${clauses.join(', ')} | ${listed(checks)} |`
    }),
    '',
  ]
}

/** A few checks by name, more by their number. */
export function listed(checks: readonly string[]): string {
  const [first, second, third, ...more] = checks.map((id) => `\`${id}\``)
  const named = [first, second, third].filter((id) => id !== undefined).join(', ')
  return more.length === 0 ? named : `${named} and ${plural(more.length, 'other')}`
}

/** The row that each check judges. */
export function rowsOf({ cases, observers }: Catalogue): ReadonlyMap<string, RequirementId> {
  return new Map([...cases, ...observers].map(({ id, requirement }) => [id, requirement]))
}

function rowOf(check: string, rows: ReadonlyMap<string, RequirementId>): RequirementId {
  const row = rows.get(check)
  if (row === undefined) throw new Error(`no such check: ${check}`)
  return row
}

/** `owner/name#1` of the address of a thread on GitHub. */
export function issueName(address: string): string {
  const [, owner, name, , thread] = new URL(address).pathname.split('/')
  return `${owner}/${name}#${thread}`
}

function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}
