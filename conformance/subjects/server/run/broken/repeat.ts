// Sends a request again if its connection broke or it timed out: once, since both happen on a healthy deployment. If the
// connection broke beside other requests, it is sent again alone, so that the one that breaks the service is found.
import { type AnswerListener, NOT_HTTP } from '../../../../../harness/http/send-once.ts'
import type { RequestSpec } from '../../../../../harness/http/probe.ts'
import { type Exchange, isCut } from '../../../../../harness/http/exchange.ts'
import { TransportError } from '../../../../../harness/http/transport-error.ts'
import { Inconclusive, boundsConnection } from '../../../../contract/outcome.ts'
import type { Lane } from './lane.ts'
import type { Outages, Suspect } from './outages.ts'
import type { SendOptions } from '../send-options.ts'

/** The wait before a request whose connection broke is sent again, in milliseconds: a process may have to restart. */
const RECONNECT_MS = 250

interface RepeatOptions {
  readonly once: (request: RequestSpec, options: SendOptions) => Promise<Exchange>
  readonly wait: (ms: number, options: SendOptions) => Promise<void>
  readonly lane: Lane
  readonly outages: Outages
  /** The time of the last answer, by the clock of the run, in milliseconds. */
  readonly answeredAtMs: () => number
  readonly now: () => number
}

/** A request in flight. */
interface Flight {
  readonly by: string | undefined
  readonly startedAtMs: number
  /** A request of another check was in flight at the same time. */
  hasCompany: boolean
}

/** How the first attempt ended, if it did not end well. */
type End = { readonly exchange: Exchange } | { readonly error: TransportError }

export function createRepeat({ once, wait, lane, outages, answeredAtMs, now }: RepeatOptions) {
  const flights = new Set<Flight>()

  function begin(by: string | undefined): Flight {
    const flight: Flight = { by, startedAtMs: now(), hasCompany: false }
    for (const other of flights)
      if (other.by !== by) {
        other.hasCompany = true
        flight.hasCompany = true
      }
    flights.add(flight)
    return flight
  }

  async function firstEnd(request: RequestSpec, options: SendOptions, flight: Flight): Promise<End> {
    try {
      const send = (): Promise<Exchange> => lane.together(() => once(request, options), options.onWait)
      return { exchange: await outages.reach(send, options.onWait) }
    } catch (error) {
      if (error instanceof TransportError) return { error }
      throw error
    } finally {
      flights.delete(flight)
    }
  }

  /** Sends a suspect again with nothing else in flight, and notes whether its connection breaks again. */
  async function alone(
    suspect: Suspect,
    request: RequestSpec,
    options: SendOptions,
    { hasCompany }: Flight,
  ): Promise<Exchange> {
    const send = async (): Promise<Exchange> => {
      // A service that is down says nothing about this request. One without company has shown that already.
      if (hasCompany) await outages.present()
      return once(request, options)
    }
    try {
      const exchange = await outages.reach(() => lane.alone(send, options.onWait), options.onWait)
      const isAgain = exchange.response.end === 'broken' && suspect.death
      outages.settle(suspect, isAgain ? cutError(exchange) : undefined)
      return exchange
    } catch (error) {
      if (error instanceof TransportError) outages.settle(suspect, error.isSilence ? undefined : error)
      throw error
    }
  }

  /** Sends a request, and once more if its connection broke or it timed out. */
  return async function answered(request: RequestSpec, options: SendOptions): Promise<Exchange> {
    const { listener, row } = options
    let heard = false
    const listening: AnswerListener | undefined = listener && {
      head(...head) {
        heard = true
        listener.head(...head)
      },
      chunk: listener.chunk.bind(listener),
    }
    const flight = begin(options.by)
    const end = await firstEnd(request, listening ? { ...options, listener: listening } : options, flight)
    const give = (): Exchange => {
      if ('error' in end) throw end.error
      return end.exchange
    }
    if (isLast(end, request)) return give()
    const broke = brokenIn(end)
    const isSuspect = broke !== undefined && flight.hasCompany
    // A library has a part of this answer, and a row that forbids broken connections has its failure: unless another request
    // may have caused it, nothing more would show.
    if (!isSuspect && (heard || (boundsConnection(row) && !isLate(end)))) return give()
    const suspect = broke && outages.suspect(broke, options.by)
    await wait(RECONNECT_MS, options)
    if (suspect === undefined) {
      // If nothing was answered meanwhile, one of the requests in flight blocks the service.
      const isBlocked = isLate(end) && flight.hasCompany && answeredAtMs() < flight.startedAtMs
      const run = isBlocked ? lane.alone : lane.together
      return outages.reach(() => run(() => once(request, options), options.onWait), options.onWait)
    }
    if (!heard) return alone(suspect, request, options, flight)
    const { listener: _, ...unheard } = options
    await alone(suspect, request, unheard, flight)
    if (suspect.death) throw new Inconclusive('the service stopped while this answer came')
    return give()
  }
}

/** An end that asking again cannot change, or that the caller repeats. */
function isLast(end: End, request: RequestSpec): boolean {
  if ('error' in end) return end.error.isLate && request.timeoutMs !== undefined
  if (!isCut(end.exchange)) return true
  return end.exchange.response.end === 'timeout' && request.timeoutMs !== undefined
}

const isLate = (end: End): boolean => 'error' in end && end.error.isLate

/** The break of a connection before or within an answer; undefined for any other end, such as an answer that is not HTTP. */
function brokenIn(end: End): TransportError | undefined {
  if ('error' in end) return end.error.isSilence || end.error.received ? undefined : end.error
  const { end: how, broken = '' } = end.exchange.response
  return how === 'broken' && !broken.startsWith(NOT_HTTP) ? cutError(end.exchange) : undefined
}

function cutError({ request, response }: Exchange): TransportError {
  return new TransportError(
    `the connection was broken ${response.body.length} bytes into its answer`,
    request,
  )
}
