// A key as a database row: plain values, and a hash instead of the secret (KEY-2).
import { hash, randomBytes } from 'node:crypto'
import { formatKey } from '../../spec/protocol/key.ts'
import { parseJson } from '../engines/text/parse-json.ts'
import type { ApiKey, NewKey } from './key-store.ts'

/** The sources of times, ids and secrets. */
export interface KeySources {
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /** Bytes from a cryptographic source. */
  readonly randomBytes?: (size: number) => Uint8Array
}

/** The columns that `readKey` reads, in order. */
export const KEY_COLUMNS = `id, name, last_four, created_at, revoked_at, models, limit_requests, limit_window_seconds,
  limit_concurrency, limit_tokens_per_minute`

/** Makes a key with its secret, and the row to store: `hash`, then `KEY_COLUMNS`. */
export function makeKey(wanted: NewKey, sources: KeySources, id = newKeyId(sources.randomBytes)) {
  const { now = Date.now, randomBytes: random = randomBytes } = sources
  const { name, models, limit, concurrency = null, tokensPerMinute = null } = wanted
  const secret = formatKey(random(32))
  const key: ApiKey = {
    id,
    name,
    lastFour: secret.slice(-4),
    createdAt: new Date(now()),
    revokedAt: null,
    models: models === null ? null : [...models],
    limit: limit === null ? null : { requests: limit.requests, windowSeconds: limit.windowSeconds },
    concurrency,
    tokensPerMinute,
  }
  const row = [
    hashSecret(secret),
    key.id,
    key.name,
    key.lastFour,
    key.createdAt.getTime(),
    null,
    key.models === null ? null : JSON.stringify(key.models),
    key.limit?.requests ?? null,
    key.limit?.windowSeconds ?? null,
    key.concurrency,
    key.tokensPerMinute,
  ]
  return { key, secret, row }
}

/** A new random id. */
export function newKeyId(random: (size: number) => Uint8Array = randomBytes): string {
  return `key_${Buffer.from(random(12)).toString('hex')}`
}

/** Whether `text` has the format of an id. */
export function isKeyId(text: string): boolean {
  return /^key_[0-9a-f]{24}$/.test(text)
}

/**
 * A fast hash is enough, because 256 random bits cannot be guessed. A lookup by hash also leaks nothing about the
 * secret by its time, which depends on the hash, and an attacker cannot choose that.
 */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** The key of a row with `KEY_COLUMNS`; undefined if the values are not those of a key. */
export function readKey(row: unknown): ApiKey | undefined {
  if (!Array.isArray(row)) throw new TypeError('the key database returned no row')
  const [id, name, lastFour, createdAt, revokedAt, models, ...limits]: readonly unknown[] = row
  const [requests, windowSeconds, concurrency, tokensPerMinute] = limits
  const allowed = readModels(models)
  if (
    typeof id !== 'string' ||
    typeof name !== 'string' ||
    typeof lastFour !== 'string' ||
    !isTime(createdAt) ||
    !(revokedAt === null || isTime(revokedAt)) ||
    allowed === undefined ||
    !isLimit(requests) ||
    !isLimit(windowSeconds) ||
    (requests === null) !== (windowSeconds === null) ||
    !isLimit(concurrency) ||
    !isLimit(tokensPerMinute)
  )
    return undefined
  return {
    id,
    name,
    lastFour,
    createdAt: new Date(createdAt),
    revokedAt: revokedAt === null ? null : new Date(revokedAt),
    models: allowed,
    limit: requests === null || windowSeconds === null ? null : { requests, windowSeconds },
    concurrency,
    tokensPerMinute,
  }
}

/** A key for a row with invalid values, so that an operator sees it and can revoke and delete it. */
export function damagedKey(row: unknown): ApiKey {
  const [id, name, lastFour, , revokedAt]: readonly unknown[] = Array.isArray(row) ? row : []
  return {
    id: String(id),
    name: typeof name === 'string' ? name : 'unreadable',
    lastFour: typeof lastFour === 'string' ? lastFour : '????',
    createdAt: new Date(0),
    revokedAt: isTime(revokedAt) ? new Date(revokedAt) : null,
    models: [],
    limit: null,
    concurrency: null,
    tokensPerMinute: null,
    isDamaged: true,
  }
}

/** The largest time of a `Date`, in milliseconds. */
const MOST_TIME = 8.64e15

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MOST_TIME
}

function isLimit(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && value >= 1)
}

/** A list of model ids, or null for all of them; undefined if the value is neither. */
function readModels(json: unknown): readonly string[] | null | undefined {
  if (json === null) return null
  const models = typeof json === 'string' ? parseJson(json) : undefined
  return Array.isArray(models) && models.every((model) => typeof model === 'string') ? models : undefined
}
