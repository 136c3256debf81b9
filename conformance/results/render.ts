// The page docs/verdicts.md: public servers and gateways, and each of their failures with the requirement that it breaks.
import type { RequirementId } from '../../spec/catalogue/requirements.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { allChecks } from '../gateways/selection.ts'
import { cell } from '../report/labels.ts'
import { causeCells } from './causes.ts'
import type { RecordedResult } from './recorded-result.ts'

export interface Results {
  readonly servers: readonly RecordedResult[]
  readonly gateways: readonly RecordedResult[]
}

/** The page as Markdown. Throws if a result names a check that does not exist. */
export function renderResults({ servers, gateways }: Results, catalogue: Catalogue): string {
  const rows = rowsOf(catalogue)
  return [
    '# Verdicts',
    '',
    'After this page you know how well-known servers of the format, and gateways before such servers, differ from their',
    'requirements, and can repeat each verdict with the two commands above its table.',
    '',
    'Every failure was traced to what the server or gateway did and compared with the words of the requirement, which',
    '`npm run conformance -- explain CHAT-3` shows. A row that does not hold does not mean that a server fails its purpose:',
    'a mock answers what its user configured, and an inference server accepts more than the format has.',
    '',
    'Seconds depend on the load of the machine, which was high. `npm run verdicts` writes these tables from',
    '`fixtures/results/`, which names the cause of every failed check.',
    '',
    ...renderSummary('server', servers),
    '',
    'Gateways were judged before the scripted upstream ([gateways.md](gateways.md)); each failure was confirmed from the bytes',
    'of both sides.',
    '',
    ...renderSummary('gateway', gateways),
    '',
    ...[...servers, ...gateways].flatMap((result) => renderResult(result, rows)),
  ].join('\n')
}

function renderSummary(noun: string, results: readonly RecordedResult[]): readonly string[] {
  return [
    `| ${noun} | MUSTs judged | do not hold | checks | requests | seconds |`,
    '|---|---|---|---|---|---|',
    ...results.map(({ server, totals }) => {
      const { musts, judged, failed, checks, requests, seconds } = totals
      return `| [${server}](#${anchor(server)}) | ${judged} of ${musts} | ${failed} | ${checks} | ${requests} | ${seconds} |`
    }),
  ]
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

/** The row that each check of servers and gateways judges. */
export function rowsOf({ cases, observers }: Catalogue): ReadonlyMap<string, RequirementId> {
  return new Map([...cases, ...observers, ...allChecks()].map(({ id, requirement }) => [id, requirement]))
}

function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}
