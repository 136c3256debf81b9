// The waits of a run for answers. One that has ended in the same failure several times is then cut short, so that a broken
// service is judged in minutes. A wait that was cut short proves nothing: no check passes or fails by it.
import { type Exchange, headerValues } from '../../../../harness/http/exchange.ts'
import type { RequestSpec } from '../../../../harness/http/probe.ts'
import { OPEN_AFTER_DONE_MS } from '../../../../harness/http/read-body.ts'
import { TransportError } from '../../../../harness/http/transport-error.ts'
import { Inconclusive } from '../../../contract/outcome.ts'
import type { Report } from '../../../contract/report.ts'
import { asksForStream } from './circuit-breaker.ts'

/** The failures of the same kind that get their whole time, and the share of it that later ones get. */
export const MOST_WHOLE = 5
const SHARE = 0.1

/** No answer is waited for shorter than this, in milliseconds, or than this many times the slowest one that came. */
const LEAST_MS = 1000
const SLACK = 3

/** A wait that lasted this share of its bound was a whole one: the clocks of the run and of the connection differ. */
const WHOLE = 0.9

/** Streams that end late, but in time, after which such an end is waited for as long as it usually takes. */
const MOST_LATE_ENDS = 12

interface Wait {
  readonly name: string
  readonly wholeMs: number
  /** The waits that lasted their whole time. */
  failures: number
  /** The slowest that ended well, in milliseconds. */
  slowestMs: number
  shortMs: number
  /** The waits that were cut short, and still had not ended well. */
  shortened: number
}

export interface KnownWaitsOptions {
  /** The time limit of one answer, in milliseconds. */
  readonly timeoutMs: number
  /** The longest time from `[DONE]` to the end of a stream, in milliseconds. */
  readonly endAfterDoneMs: number
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

export type KnownWaits = ReturnType<typeof createKnownWaits>

export function createKnownWaits({ timeoutMs, endAfterDoneMs, now }: KnownWaitsOptions) {
  const waits = new Map<string, Wait>()
  const short = new WeakSet<object>()
  let lateEnds = 0

  function waitFor(name: string, wholeMs = timeoutMs): Wait {
    const wait = waits.get(name) ?? {
      name,
      wholeMs,
      failures: 0,
      slowestMs: 0,
      shortMs: wholeMs,
      shortened: 0,
    }
    waits.set(name, wait)
    return wait
  }
  const openStream = waitFor('the end of a stream that has sent [DONE]', endAfterDoneMs)
  const headOf = (request: RequestSpec): Wait => waitFor(`an answer to ${nameOf(request)}`)
  const bodyOf = (request: RequestSpec): Wait => waitFor(`the end of an answer to ${nameOf(request)}`)

  /** The bound of a wait now; undefined if it is the whole one. */
  function shortMs(wait: Wait, leastMs = LEAST_MS): number | undefined {
    if (wait.failures < MOST_WHOLE) return undefined
    const ms = Math.max(SHARE * wait.wholeMs, leastMs, SLACK * wait.slowestMs)
    return ms < wait.wholeMs ? ms : undefined
  }

  /** Counts a wait that ended in its failure after this time. Returns whether it was cut short. */
  function failed(wait: Wait, ms: number): boolean {
    if (ms >= WHOLE * wait.wholeMs) {
      wait.failures += 1
      return false
    }
    wait.shortMs = Math.min(wait.shortMs, Math.round(ms))
    wait.shortened += 1
    return true
  }

  function see(wait: Wait, ms: number): void {
    wait.slowestMs = Math.max(wait.slowestMs, ms)
  }

  function seeOpen({ response, timings }: Exchange): void {
    const silentMs = timings.totalMs - (response.chunks.at(-1)?.atMs ?? Infinity)
    if (response.end === 'left-open') failed(openStream, silentMs)
    else if (silentMs >= OPEN_AFTER_DONE_MS && isStream(response)) lateEnds += 1
  }

  return {
    /** The request with the time that its answer gets now. A request that names its own bounds is left as it is. */
    bounded(request: RequestSpec): RequestSpec {
      const lateMs = lateEnds < MOST_LATE_ENDS ? endAfterDoneMs : OPEN_AFTER_DONE_MS
      const openAfterDoneMs = request.openAfterDoneMs ?? shortMs(openStream, 0) ?? lateMs
      if (request.timeoutMs !== undefined) return { ...request, openAfterDoneMs }
      const [headMs, bodyMs] = [shortMs(headOf(request)), shortMs(bodyOf(request))]
      if (headMs === undefined && bodyMs === undefined) return { ...request, openAfterDoneMs }
      return {
        ...request,
        openAfterDoneMs,
        timeoutMs: headMs ?? timeoutMs,
        bodyTimeoutMs: bodyMs ?? timeoutMs,
      }
    },
    /** Counts how a request ended that was sent at this time. Returns whether its wait was cut short: then that shows nothing. */
    ended(request: RequestSpec, sentAtMs: number, end: Exchange | TransportError): boolean {
      const isLate = end instanceof TransportError ? end.isLate : end.response.end === 'timeout'
      if (request.timeoutMs === undefined && isLate) {
        const wait = end instanceof TransportError ? headOf(request) : bodyOf(request)
        if (failed(wait, now() - sentAtMs)) short.add(end)
      }
      if (end instanceof TransportError) return short.has(end)
      seeOpen(end)
      const { firstByteMs, totalMs } = end.timings
      if (request.timeoutMs === undefined) see(headOf(request), firstByteMs)
      if (request.timeoutMs === undefined && !isLate) see(bodyOf(request), totalMs - firstByteMs)
      return short.has(end)
    },
    /** Throws `Inconclusive` if the wait for this answer was cut short. */
    throwIfShort(request: RequestSpec, end: object): void {
      if (!short.has(end)) return
      const [what, came] =
        end instanceof TransportError ? [headOf(request), 'came'] : [bodyOf(request), 'ended']
      const reason = `no answer ${came} in ${what.shortMs / 1000} s, and it was not waited for any longer`
      throw new Inconclusive(`${reason}: ${what.failures} before it had not within ${what.wholeMs / 1000} s`)
    },
    /** The waits that were cut short. */
    shortened: (): Report['shortenedWaits'] & {} =>
      [...waits.values()].flatMap(({ name, wholeMs, shortMs: ms, shortened }) =>
        shortened === 0 ? [] : { name, wholeMs, shortMs: ms, count: shortened },
      ),
  }
}

const isStream = ({ headers }: Exchange['response']): boolean =>
  /^text\/event-stream/i.test(headerValues(headers, 'content-type')[0] ?? '')

/** The requests whose answers take a comparable time. */
function nameOf(request: RequestSpec): string {
  const { path, body, method = body === undefined ? 'GET' : 'POST' } = request
  const [route] = path.split('?', 1)
  return `${method} ${route}${asksForStream(request) ? ' with a stream' : ''}`
}
