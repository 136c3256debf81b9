// What keys were used for, as the pages show it.
import type { UsageStore } from '../../keys/storage.ts'
import type { KeyUse } from '../pages/key-page.ts'
import type { KeyTraffic } from '../pages/keys-page.ts'
import { minuteOf, series, total } from './traffic.ts'

const HOUR = 60
const HOURS = 24

/** The minute at which the first of the last 24 hours of the clock begins. */
function firstHour(now: number): number {
  return minuteOf(now) - (minuteOf(now) % HOUR) - (HOURS - 1) * HOUR
}

/** The traffic of some keys; `lastUsed` is that of all. */
export async function trafficOf(
  usage: UsageStore,
  keyIds: readonly string[],
  lastUsed: ReadonlyMap<string, number>,
  now: number,
): Promise<KeyTraffic> {
  const spans = { from: firstHour(now), minutes: HOUR, spans: HOURS }
  const records = Map.groupBy(await usage.sums(spans.from, HOUR, keyIds), (record) => record.keyId)
  return { lastUsed, hours: (keyId) => series(records.get(keyId) ?? [], spans) }
}

/** The use of one key, to the minute. */
export async function useOf(usage: UsageStore, keyId: string, now: number): Promise<KeyUse> {
  const from = firstHour(now)
  const records = await usage.since(from, keyId)
  const since = (minutes: number) =>
    total(records.filter(({ minute }) => minute > minuteOf(now) - minutes).map(({ requests }) => requests))
  return {
    usedAt: (await usage.lastUsed()).get(keyId),
    hours: series(records, { from, minutes: HOUR, spans: HOURS }),
    tokens: total(records.map(({ tokens }) => tokens)),
    from,
    lately: { 5: since(5), 15: since(15), 60: since(60) },
  }
}
