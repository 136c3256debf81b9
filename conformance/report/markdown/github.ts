// The report for GitHub Actions: annotations, which a job prints as commands to its runner, and the summary of a step.
import { renderMarkdown } from './markdown.ts'
import { words } from './markdown-text.ts'
import { type Finding, findingsOf } from '../findings/findings.ts'
import type { Report } from '../../contract/report.ts'
import { cut } from '../../../harness/cli/text.ts'
import { plural } from '../labels.ts'

/** The number of annotations of one kind that GitHub shows for a step. */
const MAX_OF_A_KIND = 10

/** The longest annotation, in characters. */
const MESSAGE_CHARS = 1_000

/** The longest summary: GitHub shows none that is longer than 1 MiB. */
export const SUMMARY_BYTES = 1024 * 1024 - 1024

/** A remark of a command beside its report, in one line, perhaps about a line of a file. */
export interface Note {
  readonly kind: 'error' | 'warning' | 'notice'
  readonly text: string
  readonly file?: string
  readonly line?: number
}

/** One line for each note. */
export function renderNotes(notes: readonly Note[]): string {
  return notes
    .map(({ kind, text, ...place }) => `${command(kind, { title: 'touchstone', ...place }, text)}\n`)
    .join('')
}

/** The summary of a run that has no report. */
export function renderNoVerdict(message: string): string {
  return `# Touchstone: no verdict\n\n${words(message)}\n`
}

/** One line for each finding that fails, ends in an error, or warns, apart from what the baseline expects. */
export function renderAnnotations({ checks }: Report): string {
  const findings = findingsOf({ checks: checks.filter(({ baseline }) => baseline === undefined) })
  const failing = findings.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')
  const warning = findings.filter(({ outcome }) => outcome === 'warn')
  return [...annotate('error', failing), ...annotate('warning', warning)].map((line) => `${line}\n`).join('')
}

function annotate(kind: 'error' | 'warning', findings: readonly Finding[]): readonly string[] {
  const room = findings.length > MAX_OF_A_KIND ? MAX_OF_A_KIND - 1 : MAX_OF_A_KIND
  const left = findings.slice(room)
  const shown = findings.slice(0, room).map(({ example, checks, requirements, what }) => {
    const { title, reason = '', rerun = '' } = example
    const others =
      checks.length === 1 ? '' : `\n${plural(checks.length, 'check')} (${requirements.join(', ')}): ${what}`
    const message = `${title}: ${reason}${others}\n${rerun}`.trimEnd()
    return command(kind, { title: `${example.requirement} ${example.id}` }, cut(message, MESSAGE_CHARS))
  })
  if (left.length === 0) return shown
  const ids = left.flatMap(({ checks }) => checks).map(({ id }) => id)
  return [
    ...shown,
    command(
      kind,
      { title: `and ${plural(ids.length, 'further check')}` },
      cut(ids.join(', '), MESSAGE_CHARS),
    ),
  ]
}

/** A workflow command; characters that would end the line or a property are escaped. */
function command(
  kind: Note['kind'],
  properties: Readonly<Record<string, string | number>>,
  message: string,
): string {
  const data = (text: string): string =>
    text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const property = (value: string | number): string =>
    data(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')
  const all = Object.entries(properties).map(([name, value]) => `${name}=${property(value)}`)
  return `::${kind} ${all.join(',')}::${data(message)}`
}

/** The Markdown report, without evidence if it would be too long. */
export function renderJobSummary(report: Report, notes: readonly Note[] = []): string {
  const lines = notes.map(({ text }) => text)
  const whole = `${renderMarkdown(report, { evidence: true, notes: lines })}\n`
  if (Buffer.byteLength(whole) <= SUMMARY_BYTES) return whole
  const brief = renderMarkdown(report, { evidence: false, notes: lines })
  const note = '\nThe evidence is too long for this page: the report in JSON or HTML has it.\n'
  const room = SUMMARY_BYTES - Buffer.byteLength(note)
  const text = Buffer.from(brief).subarray(0, room).toString()
  return (text.length < brief.length ? text.slice(0, text.lastIndexOf('\n')) : text) + note
}
