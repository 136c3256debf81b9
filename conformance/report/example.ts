// An example of a requirement: the exchange of one of its checks, and the parts of its text.
import type { Pen } from '../../harness/cli/pen.ts'
import type { Report, ReportCheck, ReportExchange } from '../contract/report.ts'
import type { Example } from '../contract/subject.ts'
import { renderExchange } from './failure.ts'

/** The exchange that shows a check best: the last refusal (a valid request may follow it), or else the last one. */
export function exchangeOf({ exchanges }: Pick<ReportCheck, 'exchanges'>): ReportExchange | undefined {
  const isRefusal = ({ response }: ReportExchange): boolean =>
    response !== null && response.status >= 400 && response.status !== 429
  return exchanges.findLast(isRefusal) ?? exchanges.at(-1)
}

/** The example of a check of servers, from a run. */
export function serverExample(
  { id, outcome }: Pick<ReportCheck, 'id' | 'outcome'>,
  exchange: ReportExchange,
  { target }: Pick<Report, 'target'>,
  pen: Pen,
): Example {
  return { title: `${id} on ${target.baseUrl}: ${outcome}`, lines: renderExchange(exchange, pen) }
}

/** Splits the text of a row into its rule and the sentences in parentheses, with accepted answers and exceptions. */
export function splitText(text: string): readonly [rule: string, accepted: string | undefined] {
  const plain = text.replace(/ \(wire\)$/, '')
  const [whole = '', rule, accepted] = /^(.*\.) \(((?:[^()]|\([^()]*\))*)\)$/s.exec(plain) ?? [plain]
  return rule === undefined || accepted === undefined ? [whole, undefined] : [rule, accepted]
}
