// The page docs/verdicts.md: servers of other people, and each of their failures with the clause that it breaks.
import { type RequirementId, requirements } from '../../spec/catalogue/requirements.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { plural } from '../report/labels.ts'
import type { RecordedVerdict } from './recorded-verdict.ts'

/** The page as Markdown. Throws where a verdict names a check that is not in the catalogue. */
export function renderVerdicts(verdicts: readonly RecordedVerdict[], catalogue: Catalogue): string {
  const rows = rowsOf(catalogue)
  return [
    '# Verdicts',
    '',
    'Servers of other people, judged. Every failure was traced to what the server did and held against the words of the',
    'requirement; where the words allowed it, the judge was wrong and was mended. What a requirement says:',
    '`npm run conformance -- explain CHAT-3`.',
    '',
    'The servers serve other ends than this judge: a mock answers what it was set to, an inference server takes more',
    'than the format has. A row that does not hold is no verdict on that.',
    '',
    'They showed three faults of the judge, which are odd servers in [mutants.md](mutants.md) now: it gave the names of',
    'participants a form, it took the refusal of a third choice by name for a failure, and it wanted no candidates where',
    'no number of them was asked for.',
    '',
    'The tables are written by `npm run verdicts` from `fixtures/verdicts/`, where every failed check stands with its',
    'cause; a test holds the one to the other. Seconds move with the load of the machine, which was high.',
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
function listed(checks: readonly string[]): string {
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
function issueName(address: string): string {
  const [, owner, name, , thread] = new URL(address).pathname.split('/')
  return `${owner}/${name}#${thread}`
}

function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
