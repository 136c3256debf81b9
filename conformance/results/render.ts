// The page docs/verdicts.md: public servers, and each of their failures with the requirement that it breaks.
import type { RequirementId } from '../../spec/catalogue/requirements.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { cell } from '../report/labels.ts'
import { causeCells } from './causes.ts'
import type { RecordedResult } from './recorded-result.ts'

/** The page as Markdown. Throws if a result names a check that is not in the catalogue. */
export function renderResults(results: readonly RecordedResult[], catalogue: Catalogue): string {
  const rows = rowsOf(catalogue)
  return [
    '# Verdicts',
    '',
    'After this page you know how well-known servers of the format differ from its requirements, and can repeat each',
    'verdict with the two commands above its table.',
    '',
    'Every failure was traced to what the server did and compared with the words of the requirement, which',
    '`npm run conformance -- explain CHAT-3` shows. A row that does not hold does not mean that a server fails its purpose:',
    'a mock answers what its user configured, and an inference server accepts more than the format has.',
    '',
    'Seconds depend on the load of the machine, which was high. `npm run verdicts` writes these tables from',
    '`fixtures/results/`, which names the cause of every failed check.',
    '',
    '| server | MUSTs judged | do not hold | checks | requests | seconds |',
    '|---|---|---|---|---|---|',
    ...results.map(({ server, totals }) => {
      const { musts, judged, failed, checks, requests, seconds } = totals
      return `| [${server}](#${anchor(server)}) | ${judged} of ${musts} | ${failed} | ${checks} | ${requests} | ${seconds} |`
    }),
    '',
    ...results.flatMap((result) => renderResult(result, rows)),
  ].join('\n')
}

function renderResult(result: RecordedResult, rows: ReadonlyMap<string, RequirementId>): readonly string[] {
  const { server, version, setup, command, judged, causes, failed } = result
  const rowOf = (check: string): RequirementId => {
    const row = rows.get(check)
    if (row === undefined) throw new Error(`there is no check ${check}`)
    return row
  }
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
    ...Object.entries(causes).map(([name, cause]) => {
      const { what, rows: own, checks } = causeCells(name, cause, failed, rowOf)
      return `| ${what} | ${cell(cause.expected)} | ${cell(cause.came)} | ${own} | ${checks} |`
    }),
    '',
  ]
}

/** The row that each check judges. */
export function rowsOf({ cases, observers }: Catalogue): ReadonlyMap<string, RequirementId> {
  return new Map([...cases, ...observers].map(({ id, requirement }) => [id, requirement]))
}

function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}
