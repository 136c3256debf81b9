// The interface of key storage. A store holds hashes, never secrets (KEY-2). Every request looks up its key, so no
// instance finds a key after its revocation was answered (KEY-4).
import type { Soon } from '../http/soon.ts'

/** A key's own limit; a key without one has the server's. */
export interface RequestLimit {
  /** Requests admitted in each window. */
  readonly requests: number
  readonly windowSeconds: number
}

/** A key without its secret, which only its holder has. */
export interface ApiKey {
  /** Public id for operators, `key_…`. Reveals nothing about the secret. */
  readonly id: string
  /** The operator's name for the key. */
  readonly name: string
  /** The last four characters of the secret, to identify the key. */
  readonly lastFour: string
  readonly createdAt: Date
  /** Set once; a revoked key never returns to active (KEY-5). */
  readonly revokedAt: Date | null
  /** The model ids that the key may use, or null for all. */
  readonly models: readonly string[] | null
  readonly limit: RequestLimit | null
  /** Maximum concurrent requests of this key, or null for the server's default. */
  readonly concurrency: number | null
  /** Maximum tokens of prompts and answers per minute, or null for the server's default. */
  readonly tokensPerMinute: number | null
  /** Another program has changed its row in the database, so it authenticates no request. */
  readonly isDamaged?: true
}

/** The values of a key to create. Texts contain no NUL, which PostgreSQL rejects. */
export type NewKey = Pick<ApiKey, 'name' | 'models' | 'limit'> &
  Partial<Pick<ApiKey, 'concurrency' | 'tokensPerMinute'>>

/** A new key with its secret. */
export interface CreatedKey {
  readonly key: ApiKey
  readonly secret: string
}

export interface KeyStore {
  /** Creates a key and returns its secret, which is never available again. */
  create(key: NewKey): Promise<CreatedKey>
  /** Creates a key with this id. Creates none and returns undefined if the id was ever used, also by a deleted key. */
  createOnce(id: string, key: NewKey): Promise<CreatedKey | undefined>
  /** The active key with this secret; undefined if it is unknown or revoked. */
  findActive(secret: string): Soon<ApiKey | undefined>
  /** The key with this id, active or revoked; undefined if it is unknown or deleted. */
  find(id: string): Promise<ApiKey | undefined>
  /** All active and revoked keys, newest first. */
  list(): Promise<readonly ApiKey[]>
  /** Revokes a key for good. Resolves to false if it was revoked before or does not exist. */
  revoke(id: string): Promise<boolean>
  /** Revokes a key for good and removes it from the list (KEY-12). Resolves to false if it does not exist. */
  delete(id: string): Promise<boolean>
}
