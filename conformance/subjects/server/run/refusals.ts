// Refusals by a 429 or an enveloped 503: what they ask for, and when a target that refuses every request is no longer asked.
import { type Exchange, json } from '../../../../harness/http/exchange.ts'
import type { AnswerListener } from '../../../../harness/http/send-once.ts'
import { at } from '../../../../harness/json-value.ts'
import { Refused } from '../../../contract/outcome.ts'

/** The number of checks in a row, given up because of refusals, after which such requests are no longer sent. */
export const MOST_REFUSED_CHECKS = 5

const IN_A_ROW = `the target refused ${MOST_REFUSED_CHECKS} checks in a row for a limit or a quota, and was not asked again`

/**
 * A target that names a wait and then refuses again breaks its word. Requests with this key are no longer sent after this number of
 * refusals in a row, which last this long, in milliseconds, and this many times the longest wait that it named.
 */
const MOST_BROKEN_WORDS = 4
const BROKEN_MS = 5_000
const BROKEN_WAITS = 20

/** Returns whether an answer is a 429 or a 503 in the envelope: "try later", which says nothing about the request. */
export function asksToComeBack(exchange: Exchange): boolean {
  const { status } = exchange.response
  return status === 429 || (status === 503 && at(json(exchange), 'error') !== undefined)
}

/** The error code of a 429 that no wait ends. */
export function spentQuota(exchange: Exchange): string | undefined {
  const { code, type } = Object(at(json(exchange), 'error'))
  return [code, type].find(
    (value) => value === 'insufficient_quota' || value === 'billing_hard_limit_reached',
  )
}

export type Refusals = ReturnType<typeof createRefusals>

/** Refusals of one key in a row. */
interface Streak {
  count: number
  sinceMs: number
  longestMs: number
  ended?: Refused
}

/** Counts the refusals of similar requests, also with several keys. `now` is in milliseconds. */
export function createRefusals(now: () => number) {
  const rows = new Map<string, Streak>()
  const givenUp = new Set<string>()
  let ended: Refused | undefined
  /** The check with this id gave up a request. */
  function gaveUp(by: string | undefined): void {
    if (by !== undefined) givenUp.add(by)
    if (givenUp.size < MOST_REFUSED_CHECKS) return
    ended ??= [...rows.values()].find((row) => row.ended)?.ended ?? new Refused(IN_A_ROW)
  }
  return {
    gaveUp,
    /** Throws `Refused` if such requests of the check `by` are no longer sent with this key. */
    throwIfEnded(key: string, by: string | undefined): void {
      if (ended !== undefined) throw ended
      const own = rows.get(key)?.ended
      if (own === undefined) return
      gaveUp(by)
      throw own
    },
    /**
     * A request was refused; `askedMs` is the wait that the answer names, in milliseconds. Returns whether such requests
     * are no longer sent with this key.
     */
    refused(key: string, { response: { status } }: Exchange, askedMs: number | undefined): boolean {
      const row = rows.get(key) ?? { count: 0, sinceMs: now(), longestMs: 0 }
      rows.set(key, row)
      row.count += 1
      row.longestMs = Math.max(row.longestMs, askedMs ?? Infinity)
      const lastedMs = now() - row.sinceMs
      if (row.count < MOST_BROKEN_WORDS || lastedMs < Math.max(BROKEN_MS, BROKEN_WAITS * row.longestMs))
        return false
      const named = `but named no wait over ${row.longestMs / 1000} s`
      row.ended ??= new Refused(
        `the target refused all requests for ${Math.round(lastedMs / 1000)} s (status ${status}), ${named}, and was not asked again`,
      )
      return true
    },
    /** A request was not refused, the first time or when it was sent again. */
    admitted(key: string, { response }: Exchange, wasRefused: boolean): void {
      // An error at once shows nothing: a wrong request may be refused before its limit is looked at.
      if (response.status >= 400 && !wasRefused) return
      rows.delete(key)
      givenUp.clear()
    },
    ended: (): Refused | undefined => ended,
  }
}

/** The statuses of answers that may be due to a limit, a gateway or the key, and not to the request. */
const HELD: ReadonlySet<number> = new Set([401, 402, 403, 429, 502, 503, 504])

/** Passes a refusal to the listener only if the request is not sent again. */
export function holdingBack(
  listener: AnswerListener,
): AnswerListener & { release(exchange: Exchange): void } {
  let held = false
  return {
    head(status, headers) {
      held = HELD.has(status)
      if (!held) listener.head(status, headers)
    },
    chunk(bytes) {
      if (!held) listener.chunk(bytes)
    },
    release({ response }) {
      if (!held) return
      listener.head(response.status, response.headers)
      listener.chunk(response.body)
    },
  }
}

export function tooLong(waitMs: number): string {
  return `the target asks for ${Math.round(waitMs / 1000)} s more before it admits this key (--patience)`
}

export function refusedTooLong(
  exchange: Exchange,
  attempts: number,
  waitedMs: number,
  waitMs: number,
): string {
  const { status } = exchange.response
  const times = attempts === 1 ? 'once' : `${attempts} times`
  const next = Math.round(waitMs / 1000)
  return `the target answered ${status} ${times} in ${Math.round(waitedMs / 1000)} s, and asks for ${next} s more (--patience)`
}
