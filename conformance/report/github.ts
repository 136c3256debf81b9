// The report for GitHub Actions: annotations, which a job prints as commands to its runner, and the summary of a step.
import { renderMarkdown } from './markdown.ts'
import type { Report, ReportCheck } from '../contract/report.ts'
import { cut } from '../../harness/cli/text.ts'
import { plural } from './labels.ts'

/** The number of annotations of one kind that GitHub shows for a step. */
const MAX_OF_A_KIND = 10

/** The longest annotation, in characters. */
const MESSAGE_CHARS = 1_000

/** The longest summary: GitHub shows none that is longer than 1 MiB. */
export const SUMMARY_BYTES = 1024 * 1024 - 1024

/** One line for each check that fails, ends in an error, or warns. */
export function renderAnnotations({ checks }: Report): string {
  const unexpected = checks.filter(({ baseline }) => baseline === undefined)
  const failing = unexpected.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')
  const warning = unexpected.filter(({ outcome }) => outcome === 'warn')
  return [...annotate('error', failing), ...annotate('warning', warning)].map((line) => `${line}\n`).join('')
}

function annotate(kind: 'error' | 'warning', checks: readonly ReportCheck[]): readonly string[] {
  const room = checks.length > MAX_OF_A_KIND ? MAX_OF_A_KIND - 1 : MAX_OF_A_KIND
  const left = checks.slice(room)
  const shown = checks.slice(0, room).map((check) => {
    const message = `${check.title}: ${check.reason ?? ''}\n${check.rerun ?? ''}`.trimEnd()
    return command(kind, `${check.requirement} ${check.id}`, cut(message, MESSAGE_CHARS))
  })
  if (left.length === 0) return shown
  const ids = left.map(({ id }) => id).join(', ')
  return [...shown, command(kind, `and ${plural(left.length, 'further check')}`, cut(ids, MESSAGE_CHARS))]
}

/** A workflow command; characters that would end the line or a property are escaped. */
function command(kind: string, title: string, message: string): string {
  const data = (text: string): string =>
    text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${kind} title=${property(title)}::${data(message)}`
}

/** The Markdown report, without evidence if it would be too long. */
export function renderJobSummary(report: Report): string {
  const whole = `${renderMarkdown(report)}\n`
  if (Buffer.byteLength(whole) <= SUMMARY_BYTES) return whole
  const brief = renderMarkdown({
    ...report,
    checks: report.checks.map((check) => ({ ...check, exchanges: [] })),
  })
  const note = '\nThe evidence is too long for this page: the report in JSON or HTML has it.\n'
  const room = SUMMARY_BYTES - Buffer.byteLength(note)
  const text = Buffer.from(brief).subarray(0, room).toString()
  return (text.length < brief.length ? text.slice(0, text.lastIndexOf('\n')) : text) + note
}
