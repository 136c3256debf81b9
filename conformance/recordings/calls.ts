// Joins the attempts of a recording to calls. Attempts belong to one call if method, path, key and body are equal, the
// earlier one failed, and the later one began when it had ended and within `RETRY_WINDOW_MS`. docs/recordings.md states the limits.
import { createHash } from 'node:crypto'
import type { Attempt, Observed } from '../clients/scenario.ts'
import { dueWait, positiveSeconds } from '../clients/verify/retry-rule.ts'
import type { RecordedExchange } from './recording.ts'

/** An equal request that comes later than this after the due wait is a new call, in milliseconds. */
export const RETRY_WINDOW_MS = 10_000

/** The most attempts of one call that are kept. */
const MOST_ATTEMPTS = 100

/** The most calls that may be open at a time; the oldest ends. */
const MOST_OPEN = 10_000

/** A call of a recording: its attempts in order, with times since the first. */
export type RecordedCall = Pick<
  Observed,
  'attempts' | 'busyMs' | 'key' | 'path' | 'strays' | 'elsewhere' | 'ends' | 'scenario'
>

export interface CallJoiner {
  /** Adds an exchange; returns the calls that ended. */
  add(exchange: RecordedExchange): readonly RecordedCall[]
  /** Returns the calls that were still open. */
  end(): readonly RecordedCall[]
}

interface OpenCall {
  readonly exchanges: RecordedExchange[]
  /** The latest time of another attempt, in milliseconds since 1970. */
  untilMs: number
}

export function createCallJoiner(): CallJoiner {
  const open = new Map<string, OpenCall>()

  function close(key: string): RecordedCall[] {
    const call = open.get(key)
    open.delete(key)
    return call === undefined ? [] : [callOf(call.exchanges)]
  }

  return {
    add(exchange) {
      const key = keyOf(exchange)
      const ended: RecordedCall[] = []
      const known = open.get(key)
      const last = known?.exchanges.at(-1)
      const isAttempt =
        known !== undefined &&
        last !== undefined &&
        exchange.startedAtMs >= endOf(last) - 1 &&
        exchange.startedAtMs <= known.untilMs
      if (known !== undefined && !isAttempt) ended.push(...close(key))
      const call = open.get(key) ?? { exchanges: [], untilMs: 0 }
      if (call.exchanges.length < MOST_ATTEMPTS) call.exchanges.push(exchange)
      const dueMs = failureWaitMs(exchange, call.exchanges.length - 1)
      // In the order of their latest attempts.
      open.delete(key)
      if (dueMs === undefined) ended.push(callOf(call.exchanges))
      else {
        call.untilMs = endOf(exchange) + dueMs + RETRY_WINDOW_MS
        open.set(key, call)
      }
      const [oldest] = open.keys()
      if (open.size > MOST_OPEN && oldest !== undefined) ended.push(...close(oldest))
      return ended
    },
    end: () => [...open.keys()].flatMap(close),
  }
}

/** The due wait after a failure, 0 if it is not retried; undefined after a success. */
function failureWaitMs({ response }: RecordedExchange, retry: number): number | undefined {
  if (response === null) return 0
  if (response.status < 400) return undefined
  const after = retryAfter(response)
  // Also where the rules name no header.
  const named = (positiveSeconds(after) ?? 0) * 1000
  return Math.max(named, dueWait(response.status, after, retry)?.leastMs ?? 0)
}

function retryAfter(response: NonNullable<RecordedExchange['response']>): string | undefined {
  return response.headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1]
}

function keyOf({ request }: RecordedExchange): string {
  const hash = createHash('sha256')
  hash.update(JSON.stringify([request.method, request.url, authorizationsOf(request)]))
  return hash.update(request.body ?? '').digest('base64')
}

const authorizationsOf = ({ headers }: RecordedExchange['request']): readonly string[] =>
  headers.filter(([name]) => name.toLowerCase() === 'authorization').map(([, value]) => value)

const endOf = ({ startedAtMs, timings }: RecordedExchange): number => startedAtMs + timings.totalMs

function callOf(exchanges: readonly RecordedExchange[]): RecordedCall {
  const [first] = exchanges
  const startMs = first?.startedAtMs ?? 0
  return {
    attempts: exchanges.map((exchange) => attemptOf(exchange, startMs)),
    // A recording does not show how busy its machine was.
    busyMs: () => 0,
    key: first === undefined ? '' : credentialOf(first),
    path: '/v1/chat/completions',
    strays: [],
    elsewhere: [],
    ends: [],
    scenario: { name: 'recording', script: [], checks: [] },
  }
}

/** The credential of a request, without the scheme, spaces and quotes around it. */
function credentialOf({ request }: RecordedExchange): string {
  return /([^\s"']+)["']?\s*$/.exec(authorizationsOf(request)[0] ?? '')?.[1] ?? ''
}

function attemptOf({ request, response, timings, startedAtMs }: RecordedExchange, startMs: number): Attempt {
  const arrivedMs = startedAtMs - startMs
  const endMs = arrivedMs + timings.totalMs
  return {
    arrivedMs,
    request,
    reply:
      response === null
        ? undefined
        : {
            status: response.status,
            headers: response.headers.map(([name, value]): [string, string] => [name.toLowerCase(), value]),
            body: response.body,
            end: response.end === 'complete' ? 'complete' : 'cut',
            firstByteMs: arrivedMs + timings.firstByteMs,
            lastByteMs: endMs,
          },
    hungUpMs: response?.end === 'hung-up' || response === null ? endMs : undefined,
  }
}
