// A key as a database row: plain values, and a hash instead of the secret (KEY-2).
import { hash, randomBytes } from 'node:crypto'
import { formatKey } from '../../spec/protocol/key.ts'
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
 * A fast hash is enough: slow hashes protect secrets that can be guessed, and 256 random bits cannot. A lookup by hash
 * also leaks no timing of the secret: the time of an index search depends on the hash, which an attacker cannot choose.
 */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** The key of a row with `KEY_COLUMNS`. Throws if the values are not those of a key. */
export function readKey(row: unknown): ApiKey {
  if (!Array.isArray(row)) throw new TypeError('the key database returned no row')
  const [id, name, lastFour, createdAt, revokedAt, models, ...limits]: readonly unknown[] = row
  const [requests, windowSeconds, concurrency, tokensPerMinute] = limits
  if (
    typeof id !== 'string' ||
    typeof name !== 'string' ||
    typeof lastFour !== 'string' ||
    typeof createdAt !== 'number'
  )
    throw new TypeError('the key database holds a row that is not a key')
  return {
    id,
    name,
    lastFour,
    createdAt: new Date(createdAt),
    revokedAt: typeof revokedAt === 'number' ? new Date(revokedAt) : null,
    models: typeof models === 'string' ? readModels(models) : null,
    limit:
      typeof requests === 'number' && typeof windowSeconds === 'number' ? { requests, windowSeconds } : null,
    concurrency: typeof concurrency === 'number' ? concurrency : null,
    tokensPerMinute: typeof tokensPerMinute === 'number' ? tokensPerMinute : null,
  }
}

function readModels(json: string): readonly string[] {
  const models: unknown = JSON.parse(json)
  if (!Array.isArray(models) || !models.every((model) => typeof model === 'string'))
    throw new TypeError('the key database holds an invalid list of models')
  return models
}
