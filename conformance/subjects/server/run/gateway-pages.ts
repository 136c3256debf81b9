// Pages with 502, 503 or 504 that a gateway sends in place of an answer, such as those of a limiter (the status of nginx is 503
// by default). The request is sent again more slowly. If that helps, there is a limiter, and the page says nothing about the
// service; if it does not, and another request is answered, the page is the answer of the service to this request.
import type { Exchange } from '../../../../harness/http/exchange.ts'
import { json } from '../../../../harness/http/exchange.ts'
import { at } from '../../../../harness/json-value.ts'
import { backoffMs } from '../../../../spec/protocol/retry.ts'

/** How often a request is sent that gets only pages, and the longest wait before one of these, in milliseconds. */
export const MOST_PAGES = 5
const LONGEST_WAIT_MS = 2_000

/** The requests that got only pages, after which a page is taken for an answer, unless slowing down has ever helped. */
const MOST_REAL = 3

/** Whether a gateway answered, and not the service in its own envelope. */
export function isGatewayPage(exchange: Exchange): boolean {
  return [502, 503, 504].includes(exchange.response.status) && at(json(exchange), 'error') === undefined
}

export function createGatewayPages(now: () => number) {
  let helped = 0
  let real = 0
  let admitted = 0
  let sinceMs: number | undefined
  return {
    /** Whether a page may be that of a limiter. */
    areDoubted: (): boolean => helped > 0 || real < MOST_REAL,
    /** A request got a page; `tries` counts the earlier ones. Returns the wait before it is sent again, in milliseconds. */
    waitMs(tries: number, random: number): number {
      sinceMs ??= now()
      return Math.min(LONGEST_WAIT_MS, backoffMs(tries, random))
    },
    /** A request was answered after these pages. */
    answered(pages: number): void {
      if (sinceMs !== undefined) admitted += 1
      if (pages > 0) helped += 1
    },
    /** A request gets only pages, and others are answered. */
    isReal(): void {
      real += 1
    },
    /** The reason if nothing is answered any more. */
    reason(exchange: Exchange, times: number): string {
      const { status } = exchange.response
      const seconds = (now() - (sinceMs ?? now())) / 1000
      const rate = Math.max(1, Math.floor((0.7 * admitted) / Math.max(1, seconds)))
      return `a page with status ${status} came ${times} times, and also for GET /v1/models: a limiter in front of the service, or its gateway lost it; try --requests-per-second ${rate}`
    },
  }
}
