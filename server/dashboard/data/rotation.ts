// When an old key is safe to revoke (KEY-8): not before it was silent for as long as the operator chose.
import type { ApiKey } from '../../keys/key-store.ts'
import { BASE } from '../addresses.ts'
import { MINUTE_MS } from './traffic.ts'

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

export interface Rotation {
  readonly old: ApiKey
  readonly fresh: ApiKey
  /** When each key was last used, in milliseconds since the epoch; undefined if never. */
  readonly oldUsedAt: number | undefined
  readonly freshUsedAt: number | undefined
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
export function judgeRotation(rotation: Rotation): RotationVerdict {
  const { old, fresh, oldUsedAt, freshUsedAt, silence, delayMs, now } = rotation
  if (old.revokedAt !== null) return { kind: 'revoked' }
  if (fresh.revokedAt !== null) return { kind: 'new key revoked' }
  const silentSince = oldUsedAt ?? old.createdAt.getTime()
  const safeAt = silentSince + silence * MINUTE_MS + delayMs
  if (now < safeAt) return { kind: 'in use', silentSince, safeAt }
  return freshUsedAt === undefined ? { kind: 'new key unused' } : { kind: 'safe', silentSince }
}

export interface RotationQuery {
  readonly oldId: string
  readonly freshId: string
  readonly silence: number
  readonly range: number
  readonly refresh: number
}

/** Names of the query parameters. */
export const rotationParams = {
  old: 'old',
  fresh: 'new',
  silence: 'silence',
  range: 'range',
  refresh: 'refresh',
} as const

/** The view of an address. Missing and invalid values get defaults. */
export function readRotationQuery(query: URLSearchParams): RotationQuery {
  const oneOf = (name: string, table: object, fallback: number) => {
    const value = query.get(name) ?? ''
    return Object.hasOwn(table, value) ? Number(value) : fallback
  }
  return {
    oldId: query.get(rotationParams.old) ?? '',
    freshId: query.get(rotationParams.fresh) ?? '',
    silence: oneOf(rotationParams.silence, SILENCES, 15),
    range: oneOf(rotationParams.range, RANGES, 30),
    refresh: oneOf(rotationParams.refresh, REFRESHES, 30),
  }
}

/** The address of a view. */
export function rotationAddress({ oldId, freshId, silence, range, refresh }: RotationQuery): string {
  return `${BASE}/rotation?${new URLSearchParams({
    [rotationParams.old]: oldId,
    [rotationParams.fresh]: freshId,
    [rotationParams.silence]: String(silence),
    [rotationParams.range]: String(range),
    [rotationParams.refresh]: String(refresh),
  })}`
}
