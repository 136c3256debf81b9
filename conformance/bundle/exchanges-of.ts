// The exchanges of one check in a bundle, for a person who looks for a false alarm.
import { createRedactor } from '../../harness/secrets/redact.ts'
import type { Report } from '../contract/report.ts'
import { EVIDENCE_CHARS, showExchange, showUnanswered } from '../report/show-exchange.ts'
import type { Bundle } from './bundle-file.ts'
import { createLineReader } from './lines.ts'

type ShownExchange = Report['checks'][number]['exchanges'][number]

export interface ExchangeOfCheck {
  readonly ordinal: number
  /** When it was sent, in milliseconds since the run began. */
  readonly atMs: number
  readonly exchange: ShownExchange
  /** Why no answer came, or that the judge left it. */
  readonly note: string | undefined
}

/** The exchanges that this check has sent, in its order. */
export function exchangesOf({ lines }: Bundle, check: string): readonly ExchangeOfCheck[] {
  const reader = createLineReader()
  const options = { redactor: createRedactor(), maxBodyChars: EVIDENCE_CHARS }
  const own: ExchangeOfCheck[] = []
  for (const line of lines) {
    if (line.kind !== 'exchange') continue
    const request = reader.request(line.request)
    const response = line.response && reader.response(line.response)
    if (line.check !== check) continue
    const { ordinal, atMs, timings, error, left } = line
    const exchange =
      response === undefined
        ? showUnanswered(request, options)
        : showExchange({ request, response, timings }, options)
    own.push({
      ordinal,
      atMs,
      exchange,
      note: error?.message ?? (left === true ? 'the judge left this answer' : undefined),
    })
  }
  return own.toSorted((one, other) => one.ordinal - other.ordinal)
}
