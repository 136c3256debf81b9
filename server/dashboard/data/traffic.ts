// The traffic of keys: requests in time spans of equal length.
import type { UsageRecord, UsageStore } from '../../keys/stored-usage.ts'

export const MINUTE_MS = 60_000
const HOUR = 60
const HOURS = 24

export type KeyTraffic = Awaited<ReturnType<typeof trafficOf>>
export type KeyUse = Awaited<ReturnType<typeof useOf>>

/** The minute since the epoch of a time in milliseconds. */
export function minuteOf(time: number): number {
  return Math.floor(time / MINUTE_MS)
}

/** The minute at which the first of the last 24 hours of the clock begins. */
function firstHour(now: number): number {
  return minuteOf(now) - (minuteOf(now) % HOUR) - (HOURS - 1) * HOUR
}

/** The traffic of some keys in each of the last 24 hours; `lastUsed` covers all keys, in milliseconds since the epoch. */
export async function trafficOf(
  usage: UsageStore,
  keyIds: readonly string[],
  lastUsed: ReadonlyMap<string, number>,
  now: number,
) {
  const spans = { from: firstHour(now), minutes: HOUR, spans: HOURS }
  const records = Map.groupBy(await usage.sums(spans.from, HOUR, keyIds), (record) => record.keyId)
  return { lastUsed, hours: (keyId: string) => series(records.get(keyId) ?? [], spans) }
}

/** The traffic of one key, to the minute. */
export async function useOf(usage: UsageStore, keyId: string, now: number) {
  const from = firstHour(now)
  const records = await usage.since(from, keyId)
  const since = (minutes: number) =>
    total(records.filter(({ minute }) => minute > minuteOf(now) - minutes).map(({ requests }) => requests))
  return {
    /** Milliseconds since the epoch; undefined if it was never used. */
    usedAt: (await usage.lastUsed()).get(keyId),
    /** Requests in each of the last 24 hours, the tokens in all of them, and the minute at which the first one begins. */
    hours: series(records, { from, minutes: HOUR, spans: HOURS }),
    tokens: total(records.map(({ tokens }) => tokens)),
    from,
    /** Requests in the last minutes. */
    lately: { 5: since(5), 15: since(15), 60: since(60) },
  }
}

/** Requests in each of `spans` spans of `minutes`, the first of which begins at `from`; oldest first. */
export function series(
  records: readonly UsageRecord[],
  { from, minutes, spans }: { from: number; minutes: number; spans: number },
): number[] {
  const requests = Array<number>(spans).fill(0)
  for (const record of records) {
    // A record from an instance whose clock runs ahead counts as current.
    const at = Math.min(Math.floor((record.minute - from) / minutes), spans - 1)
    if (at >= 0) requests[at] = (requests[at] ?? 0) + record.requests
  }
  return requests
}

export function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
