// The exchanges of a pair as a file, without credentials, and the digests and summaries of them that an entry has.
import { readFileSync } from 'node:fs'
import { header, type Exchange } from '../../../harness/http/exchange.ts'
import { createCaptureFile } from '../../exchanges/capture-file.ts'
import type { RecordedExchange } from '../../exchanges/recorded-exchange.ts'
import { digestOf } from '../results/make-entry.ts'
import type { Used } from '../results/pair-entry.ts'

/** Writes the evidence of a pair to a new file. Throws `UsageError` if it exists. */
export function createEvidence(path: string, baseUrl: string, secrets: readonly string[]) {
  const file = createCaptureFile(path, baseUrl, { flag: '--evidence', secrets })
  const lines = new Map<RecordedExchange, number>()
  return {
    add(exchanges: readonly RecordedExchange[]): void {
      for (const exchange of exchanges) {
        lines.set(exchange, lines.size + 1)
        file.write(exchange)
      }
    },
    /** Closes the file. Returns its digest, and a function that summarises an exchange of it. */
    close() {
      file.close()
      const bytes = readFileSync(path)
      const texts = bytes.toString('utf8').split('\n')
      return {
        digest: digestOf(bytes),
        summaryOf: (exchange: RecordedExchange): Used['exchange'] => ({
          digest: digestOf(Buffer.from(texts[lines.get(exchange) ?? 0] ?? '')),
          ...summaryOf(exchange),
        }),
      }
    },
  }
}

/** A request and its answer without their bodies. */
function summaryOf({ request, response, ...rest }: RecordedExchange): { request: string; answer: string } {
  const sent = `${request.method} ${request.path.split('?', 1)[0]}, ${request.body?.length ?? 0} bytes`
  if (response === null) return { request: sent, answer: 'no answer' }
  const exchange: Exchange = { ...rest, request, response }
  const type = header(exchange, 'content-type')?.split(';', 1)[0] ?? 'no content type'
  const end = response.end === 'complete' ? '' : `, ${response.end}`
  return { request: sent, answer: `${response.status} ${type}, ${response.body.length} bytes${end}` }
}
