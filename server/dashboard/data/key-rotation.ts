// Decides when an old key is safe to revoke (KEY-8): when it has been silent for the time that the operator chose.
import type { ApiKey } from '../../keys/key-store.ts'
import type { UsageStore } from '../../keys/stored-usage.ts'
import { BASE } from '../dashboard-paths.ts'
import { MINUTE_MS, minuteOf, series } from './traffic.ts'

/** How long an old key must be silent, in minutes, and the label. */
export const SILENCES = {
  1: '1 minute',
  5: '5 minutes',
  15: '15 minutes',
  60: '1 hour',
  360: '6 hours',
  1440: '24 hours',
} as const

/** How many minutes of traffic the charts show. */
export const RANGES = { 15: '15 minutes', 30: '30 minutes', 60: '60 minutes' } as const

/** Seconds after which the page reloads. */
export const REFRESHES = {
  0: 'never',
  10: 'every 10 seconds',
  30: 'every 30 seconds',
  60: 'every minute',
} as const

/** A key, and when it was last used, in milliseconds since the epoch; undefined if never. */
interface Side {
  readonly key: ApiKey
  readonly usedAt: number | undefined
}

export interface Rotation {
  readonly old: Side
  readonly fresh: Side
  /** How long the old key must be silent, in minutes. */
  readonly silence: number
  /** How late a use may become visible, in milliseconds: instances write counts in batches. */
  readonly delayMs: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

export type RotationVerdict =
  | { readonly kind: 'revoked' }
  /** The new key does not work. */
  | { readonly kind: 'new key revoked' }
  /** The new key is unused: perhaps no program sends requests at all. */
  | { readonly kind: 'new key unused' }
  /** Since when the old key is silent, and until when it must be; milliseconds since the epoch. */
  | { readonly kind: 'in use'; readonly silentSince: number; readonly safeAt: number }
  | { readonly kind: 'safe'; readonly silentSince: number }

/** A key that was never used counts as silent since its creation. */
export function judgeRotation({ old, fresh, silence, delayMs, now }: Rotation): RotationVerdict {
  if (old.key.revokedAt !== null) return { kind: 'revoked' }
  if (fresh.key.revokedAt !== null) return { kind: 'new key revoked' }
  const silentSince = old.usedAt ?? old.key.createdAt.getTime()
  const safeAt = silentSince + silence * MINUTE_MS + delayMs
  if (now < safeAt) return { kind: 'in use', silentSince, safeAt }
  return fresh.usedAt === undefined ? { kind: 'new key unused' } : { kind: 'safe', silentSince }
}

/** The view of an address. Missing and invalid values get defaults. */
export function readRotationQuery(query: URLSearchParams) {
  const oneOf = (name: string, table: object, usual: number) => {
    const value = query.get(name) ?? ''
    return Object.hasOwn(table, value) ? Number(value) : usual
  }
  return {
    /** The ids of the two keys. */
    old: query.get('old') ?? '',
    new: query.get('new') ?? '',
    silence: oneOf('silence', SILENCES, 15),
    range: oneOf('range', RANGES, 30),
    refresh: oneOf('refresh', REFRESHES, 30),
  }
}

export type RotationQuery = ReturnType<typeof readRotationQuery>

/** The address of a view. */
export function rotationAddress(query: RotationQuery): string {
  const { silence, range, refresh, ...ids } = query
  const numbers = { silence: String(silence), range: String(range), refresh: String(refresh) }
  return `${BASE}/rotation?${new URLSearchParams({ ...ids, ...numbers })}`
}

export type Traffic = Awaited<ReturnType<typeof minutesOf>>

/** The requests with two keys in each of the last `range` minutes. `now`: milliseconds since the epoch. */
export async function minutesOf(usage: UsageStore, old: ApiKey, fresh: ApiKey, range: number, now: number) {
  /** The first minute, since the epoch. */
  const from = minuteOf(now) - range + 1
  const lastUsed = await usage.lastUsed()
  const sideOf = async (key: ApiKey) => ({
    key,
    usedAt: lastUsed.get(key.id),
    /** Requests in each minute, oldest first. */
    minutes: series(await usage.since(from, key.id), { from, minutes: 1, spans: range }),
  })
  return { from, old: await sideOf(old), fresh: await sideOf(fresh) }
}
