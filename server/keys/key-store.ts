// The port to where keys live. A store holds hashes, never secrets (KEY-2), and is asked on every request: when it
// has answered a revocation, the key is found nowhere any more (KEY-4).
import type { Soon } from '../http/soon.ts'

/** A key's own limit; a key without one has the server's. */
export interface RequestLimit {
  /** Requests admitted in each window. */
  readonly requests: number
  readonly windowSeconds: number
}

/** What is known of a key. The secret itself is known to nobody but its holder. */
export interface ApiKey {
  /** Public name of the key for operators, as `key_…`; reveals nothing of the secret. */
  readonly id: string
  /** The operator's name for it. */
  readonly name: string
  /** The last four characters of the secret, to tell keys apart. */
  readonly lastFour: string
  readonly createdAt: Date
  /** Set once; a revoked key never returns to active (KEY-5). */
  readonly revokedAt: Date | null
  /** The model ids that it may use, or null for all. */
  readonly models: readonly string[] | null
  readonly limit: RequestLimit | null
  /** Concurrent requests of this key, or null for the server's own bound. */
  readonly concurrency: number | null
  /** Tokens of prompts and answers that the key may use in a minute, or null for the server's own bound. */
  readonly tokensPerMinute: number | null
}

/** What an operator says of a key that is to be made. No text holds a NUL, which PostgreSQL does not take. */
export type NewKey = Pick<ApiKey, 'name' | 'models' | 'limit'> &
  Partial<Pick<ApiKey, 'concurrency' | 'tokensPerMinute'>>

/** A key that was just made. */
export interface CreatedKey {
  readonly key: ApiKey
  readonly secret: string
}

export interface KeyStore {
  /** Makes a key and returns its secret: the only time that anybody sees it. */
  create(key: NewKey): Promise<CreatedKey>
  /** The same, under an id that the caller chose; undefined, and no key is made, where there is one with this id. */
  createOnce(id: string, key: NewKey): Promise<CreatedKey | undefined>
  /** The active key with this secret, or undefined where there is none or it is revoked. */
  findActive(secret: string): Soon<ApiKey | undefined>
  /** The key with this id, revoked or not. */
  find(id: string): Promise<ApiKey | undefined>
  /** All keys, revoked ones included, newest first. */
  list(): Promise<readonly ApiKey[]>
  /** Revokes a key for good; true where this call did it, false where it was revoked before or does not exist. */
  revoke(id: string): Promise<boolean>
}
