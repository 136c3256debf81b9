// Exchanges that a recorder stored twice: browsers store one for the page and one for its service worker, and Playwright some
// requests two times. A service that gives two requests the same answer is not meant: those do not overlap.
import { createHash } from 'node:crypto'
import { headerValues } from '../../../harness/http/exchange.ts'
import type { RecordedExchange } from '../recorded-exchange.ts'

/** The most exchanges that are remembered; the oldest are forgotten. */
const MOST_REMEMBERED = 10_000

interface Remembered {
  readonly startedAtMs: number
  readonly endedAtMs: number
}

/** Returns a function that says whether an exchange of an archive is the same as an earlier one. */
export function createDoubleFinder(): (exchange: RecordedExchange) => boolean {
  const known = new Map<string, Remembered[]>()
  let count = 0
  return (exchange) => {
    const { startedAtMs, timings } = exchange
    const print = fingerprint(exchange)
    if (print === undefined) return false
    const endedAtMs = startedAtMs + timings.totalMs
    const same = known.get(print) ?? []
    if (same.some((one) => one.startedAtMs <= endedAtMs && startedAtMs <= one.endedAtMs)) return true
    known.set(print, [...same, { startedAtMs, endedAtMs }])
    count += 1
    for (const [oldest, all] of known) {
      if (count <= MOST_REMEMBERED) break
      known.delete(oldest)
      count -= all.length
    }
    return false
  }
}

/** A digest that two records of one exchange have in common; undefined for one whose answer is not known. */
function fingerprint({ request, response, isBodyUnknown }: RecordedExchange): string | undefined {
  if (response === null || isBodyUnknown === true) return undefined
  const hash = createHash('sha256')
  const ids = ['x-request-id', 'date'].map((name) => headerValues(response.headers, name))
  hash.update(JSON.stringify([request.method, request.url, response.status, ids]))
  for (const body of [request.body ?? new Uint8Array(), response.body])
    hash.update(`${body.length} `).update(body)
  return hash.digest('base64')
}
