// `explain ID --recording FILE`: the exchanges of a check in a bundle, a capture or an HTTP archive.
import type { Pen } from '../../../harness/cli/pen.ts'
import { printable } from '../../../harness/cli/text.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { createRedactor } from '../../../harness/secrets/redact.ts'
import type { Report } from '../../contract/report.ts'
import type { RunEvents } from '../../contract/run-events.ts'
import { createExchangeReader } from '../../exchanges/line-codec.ts'
import { isRecording, readRecording } from '../../exchanges/read-recording.ts'
import type { RecordedExchange } from '../../exchanges/recorded-exchange.ts'
import { renderExchange } from '../../report/failure.ts'
import { EVIDENCE_CHARS, showExchange, showUnanswered } from '../../report/show-exchange.ts'
import { loadRecording } from '../../subjects/index.ts'
import type { Options } from '../judge-options.ts'

/** The outcomes of these checks in a recording, and the exchanges that each of them sent or looked at. */
export async function renderRecorded(
  file: string,
  options: ExplainOptions,
  checks: readonly { readonly id: string }[],
  pen: Pen,
): Promise<string> {
  const ids = new Set(checks.map(({ id }) => id))
  const { report, sent } = isRecording(file) ? await judged(file, options, ids) : await bundled(file, options)
  const lines: string[] = []
  for (const { id } of checks) {
    const judged = report.checks.find((check) => check.id === id)
    const own = sent.filter(({ by }) => by === id)
    if (judged === undefined && own.length === 0) continue
    const { outcome = 'its exchanges', reason, place, exchanges = [] } = judged ?? {}
    const why = reason === undefined ? '' : `, ${printable(reason)}`
    lines.push('', `${pen.paint('bold', 'Recorded')}  ${id}: ${outcome}${why}`)
    // A check of evidence sends nothing: the report has what it looked at.
    if (own.length === 0)
      for (const exchange of exchanges) {
        const where = exchange.hop ?? place
        lines.push('', ...(where === undefined ? [] : [`  ${where}`]), ...renderExchange(exchange, pen))
      }
    const options = { redactor: createRedactor(), maxBodyChars: EVIDENCE_CHARS }
    for (const [place, { atMs, error, left, response, ...request }] of own.entries()) {
      const note = error ?? (left === true ? 'the judge left this answer' : undefined)
      const problem = note === undefined ? '' : `: ${printable(note)}`
      const when = atMs === undefined ? '' : `, ${(atMs / 1000).toFixed(3)} s after the start`
      const exchange =
        response === null
          ? showUnanswered(request.request, options)
          : showExchange({ ...request, response }, options)
      lines.push('', `  request ${place + 1}${when}${problem}`, ...renderExchange(exchange, pen))
    }
  }
  if (lines.length === 0) return `\nThe recording ${file} has none of these checks\n`
  return `${lines.join('\n')}\n`
}

type ExplainOptions = Options & { readonly signal: AbortSignal; readonly onFault: RunEvents['onFault'] }

interface Evidence {
  readonly report: Report
  /** The exchanges that each check has sent, in its order. */
  readonly sent: readonly RecordedExchange[]
}

/** The most exchanges of a capture that are shown. */
const MOST_SHOWN = 100

/** A capture or an HTTP archive, which is judged for it. */
async function judged(file: string, options: ExplainOptions, ids: ReadonlySet<string>): Promise<Evidence> {
  const sent: RecordedExchange[] = []
  for await (const read of readRecording(file, () => {}))
    if ('exchange' in read && ids.has(read.exchange.by ?? '') && sent.length < MOST_SHOWN)
      sent.push(read.exchange)
  const { judge } = await loadRecording()
  return { report: await judge({ ...options, files: [file] }, createRedactor()), sent }
}

async function bundled(file: string, { recording }: Options): Promise<Evidence> {
  const { BundleError, readBundleFile } = await import('../../bundle/bundle-file.ts')
  try {
    const { report, lines } = readBundleFile(file)
    const exchanges = lines.filter((line) => line.kind === 'exchange').map(createExchangeReader())
    return { report, sent: exchanges.toSorted((a, b) => (a.ordinal ?? 0) - (b.ordinal ?? 0)) }
  } catch (error) {
    const why = error instanceof BundleError ? error.message : 'it cannot be read'
    throw new UsageError(`--${recording === undefined ? 'bundle' : 'recording'} ${file}: ${why}`)
  }
}
