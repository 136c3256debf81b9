// When an old key may go (KEY-8): not before it has been silent for as long as the operator chose.
import type { ApiKey } from '../../keys/key-store.ts'
import { MINUTE_MS } from './traffic.ts'

/** How long an old key has to be silent, in minutes, and how that is said. */
export const SILENCES = {
  1: '1 minute',
  5: '5 minutes',
  15: '15 minutes',
  60: '1 hour',
  360: '6 hours',
  1440: '24 hours',
} as const

/** How many minutes of traffic are drawn. */
export const RANGES = { 15: '15 minutes', 30: '30 minutes', 60: '60 minutes' } as const

/** Seconds after which the page loads itself again. */
export const REFRESHES = {
  0: 'never',
  10: 'every 10 seconds',
  30: 'every 30 seconds',
  60: 'every minute',
} as const

export interface Rotation {
  readonly old: ApiKey
  readonly fresh: ApiKey
  /** When each was last used, in milliseconds since the epoch; undefined where it never was. */
  readonly oldUsedAt: number | undefined
  readonly freshUsedAt: number | undefined
  /** How long the old key has to be silent, in minutes. */
  readonly silence: number
  /** How late a use may become known, in milliseconds: instances gather what they count. */
  readonly delayMs: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

export type RotationVerdict =
  | { readonly kind: 'revoked' }
  /** The new key itself does not work. */
  | { readonly kind: 'new key revoked' }
  /** Nobody has used the new key: the silence of the old one may be that of everybody. */
  | { readonly kind: 'new key unused' }
  /** The old key is silent since then, and has to be until `safeAt`; milliseconds since the epoch. */
  | { readonly kind: 'in use'; readonly silentSince: number; readonly safeAt: number }
  | { readonly kind: 'safe'; readonly silentSince: number }

/** A key that was never used is silent since it was made. */
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

/** Names of the query's parameters. */
export const rotationParams = {
  old: 'old',
  fresh: 'new',
  silence: 'silence',
  range: 'range',
  refresh: 'refresh',
} as const

/** What the address asks for; what it leaves open, or says wrongly, has a usual value. */
export function readRotationQuery(query: URLSearchParams): RotationQuery {
  const oneOf = (name: string, table: object, usual: number) => {
    const value = query.get(name) ?? ''
    return Object.hasOwn(table, value) ? Number(value) : usual
  }
  return {
    oldId: query.get(rotationParams.old) ?? '',
    freshId: query.get(rotationParams.fresh) ?? '',
    silence: oneOf(rotationParams.silence, SILENCES, 15),
    range: oneOf(rotationParams.range, RANGES, 30),
    refresh: oneOf(rotationParams.refresh, REFRESHES, 30),
  }
}
