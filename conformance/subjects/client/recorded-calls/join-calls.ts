// Joins the attempts of a recording to calls. Attempts belong to one call if method, path, key and body are equal, the
// earlier one failed, and the later one began when it had ended and within `RETRY_WINDOW_MS`. docs/recordings.md states the limits.
import { createHash } from 'node:crypto'
import { headerValues } from '../../../../harness/http/exchange.ts'
import { NOTHING_OBSERVED, type Observed } from '../scenario.ts'
import type { Call } from '../../../../harness/scripted-service/received-call.ts'
import { dueWait, positiveSeconds } from '../verify/due-wait.ts'
import { authorizationsOf, type RecordedExchange } from '../../../exchanges/recorded-exchange.ts'

/** An equal request that comes later than this after the due wait is a new call, in milliseconds. */
const RETRY_WINDOW_MS = 10_000

/** The most attempts of one call that are kept. */
const MOST_ATTEMPTS = 100

/** A longer wait is not waited for: an equal request after it is a new call, in milliseconds. */
const MOST_WAIT_MS = 60_000

/** The most bytes of bodies that open calls keep; the oldest calls end before. */
const MOST_OPEN_BYTES = 32 * 1024 * 1024

/** About what an attempt takes without its bodies, in bytes. */
const ATTEMPT_BYTES = 2048

/** A call of a recording: its attempts in order, with times since the first. It has no task, and no requested text. */
export interface RecordedCall extends Observed {
  /** The place of its latest attempt. */
  readonly place: string
}

interface OpenCall {
  readonly exchanges: RecordedExchange[]
  /** The latest time of another attempt, in milliseconds since 1970. */
  untilMs: number
  place: string
}

export function createCallJoiner() {
  /** The open calls, in the order of their latest attempts. */
  const open = new Map<string, OpenCall>()
  let openBytes = 0

  function close(key: string): RecordedCall[] {
    const call = open.get(key)
    if (call === undefined) return []
    open.delete(key)
    openBytes -= bytesOf(call)
    return [callOf(call)]
  }

  /** Ends the calls that can have no more attempts, and the oldest if there are too many. */
  function closeOld(nowMs: number): RecordedCall[] {
    const ended: RecordedCall[] = []
    for (const [key, { untilMs }] of open) {
      if (untilMs >= nowMs && openBytes <= MOST_OPEN_BYTES) break
      ended.push(...close(key))
    }
    return ended
  }

  return {
    /** Adds an exchange, with its place in the recording; returns the calls that ended. */
    add(exchange: RecordedExchange, place: string): readonly RecordedCall[] {
      const key = keyOf(exchange)
      const known = open.get(key)
      const ended = known !== undefined && !isAttemptOf(known, exchange) ? close(key) : []
      const call = open.get(key) ?? { exchanges: [], untilMs: 0, place }
      openBytes -= open.delete(key) ? bytesOf(call) : 0
      if (call.exchanges.length < MOST_ATTEMPTS) call.exchanges.push(exchange)
      call.place = place
      const dueMs = failureWaitMs(exchange, call.exchanges.length - 1)
      if (dueMs === undefined) ended.push(callOf(call))
      else {
        call.untilMs = endOf(exchange) + Math.min(dueMs, MOST_WAIT_MS) + RETRY_WINDOW_MS
        open.set(key, call)
        openBytes += bytesOf(call)
      }
      return [...ended, ...closeOld(exchange.startedAtMs)]
    },
    /** Returns the calls that were still open. */
    end: (): readonly RecordedCall[] => [...open.keys()].flatMap(close),
  }
}

function isAttemptOf({ exchanges, untilMs }: OpenCall, { startedAtMs }: RecordedExchange): boolean {
  const last = exchanges.at(-1)
  // Times in a file are rounded to a millisecond.
  return last !== undefined && startedAtMs >= endOf(last) - 1 && startedAtMs <= untilMs
}

/** The bytes of the bodies of a call, and about what the rest of each attempt takes. */
function bytesOf({ exchanges }: OpenCall): number {
  const sizes = exchanges.flatMap(({ request, response }) => [request.body, response?.body])
  return sizes.reduce((sum, body) => sum + (body?.length ?? 0), exchanges.length * ATTEMPT_BYTES)
}

/** The due wait after a failure, 0 if it is not retried; undefined after a success. */
function failureWaitMs({ response }: RecordedExchange, retry: number): number | undefined {
  if (response === null) return 0
  if (response.status < 400) return undefined
  const [after] = headerValues(response.headers, 'retry-after')
  // Also for statuses whose rules name no header.
  const named = (positiveSeconds(after) ?? 0) * 1000
  return Math.max(named, dueWait(response.status, after, retry)?.leastMs ?? 0)
}

function keyOf(exchange: RecordedExchange): string {
  const { request } = exchange
  const hash = createHash('sha256')
  hash.update(JSON.stringify([request.method, request.url, authorizationsOf(exchange)]))
  return hash.update(request.body ?? '').digest('base64')
}

const endOf = ({ startedAtMs, timings }: RecordedExchange): number => startedAtMs + timings.totalMs

function callOf({ exchanges, place }: OpenCall): RecordedCall {
  const [first] = exchanges
  const startMs = first?.startedAtMs ?? 0
  return {
    // A recording does not show how busy its machine was.
    ...NOTHING_OBSERVED,
    place,
    attempts: exchanges.map((exchange) => attemptOf(exchange, startMs)),
    key: first === undefined ? '' : credentialOf(first),
  }
}

/** The credential of a request, without the scheme, spaces and quotes around it. */
function credentialOf(exchange: RecordedExchange): string {
  return /([^\s"']+)["']?\s*$/.exec(authorizationsOf(exchange)[0] ?? '')?.[1] ?? ''
}

function attemptOf({ request, response, timings, startedAtMs }: RecordedExchange, startMs: number): Call {
  const arrivedMs = startedAtMs - startMs
  const endMs = arrivedMs + timings.totalMs
  return {
    kind: 'attempt',
    arrivedMs,
    request,
    reply:
      response === null
        ? undefined
        : {
            status: response.status,
            headers: response.headers.map(([name, value]): [string, string] => [name.toLowerCase(), value]),
            pieces: [response.body],
            end: response.end === 'complete' ? 'complete' : 'cut',
            firstByteMs: arrivedMs + timings.firstByteMs,
            lastByteMs: endMs,
          },
    hungUpMs: response?.end === 'hung-up' || response === null ? endMs : undefined,
  }
}
