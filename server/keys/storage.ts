// The interface of everything that the service stores: keys, their usage, the audit log, sessions and the operator's
// password. One storage is one database, which several instances may share.
import type { KeyStore } from './key-store.ts'

/** The usage of one key in one minute, on all instances together. */
export interface UsageRecord {
  readonly keyId: string
  /** The minute since the epoch. */
  readonly minute: number
  /** Requests with this key, including refused ones. */
  readonly requests: number
  /** Tokens of prompts and answers. */
  readonly tokens: number
  /** The last request within the minute, in milliseconds since the epoch. */
  readonly lastUsedAt: number
}

export interface UsageStore {
  /** Adds all records or none. */
  add(records: readonly UsageRecord[]): Promise<void>
  /** All records from this minute on, by minute; of one key or of all. */
  since(minute: number, keyId?: string): Promise<readonly UsageRecord[]>
  /**
   * The records of these keys, summed over spans of `minutes`; each sum has the first minute of its span. Spans without
   * requests are omitted.
   */
  sums(minute: number, minutes: number, keyIds: readonly string[]): Promise<readonly UsageRecord[]>
  /** When each key was last used, in milliseconds since the epoch. Kept until the key is deleted. */
  lastUsed(): Promise<ReadonlyMap<string, number>>
  /** Deletes records before this minute, and the last use of deleted keys. */
  prune(minute: number): Promise<void>
}

/** The actions of the audit log, as they are stored. */
export const AUDIT_ACTIONS = [
  'sign-in',
  'sign-in-refused',
  'sign-out',
  'key-created',
  'key-revoked',
  'key-deleted',
  'password-changed',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** An action of an operator. Contains no secret. */
export interface AuditEntry {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly action: AuditAction
  /** The address of the client. */
  readonly address: string
  readonly keyId: string | null
  /** Details, for example the name of the key. */
  readonly detail: string
}

/**
 * A refused sign-in is deleted after this many later entries. Refused sign-ins need no password, so their number is
 * bounded; all other entries are kept.
 */
export const REFUSALS_KEPT = 1000

export interface AuditLog {
  append(entry: AuditEntry): Promise<void>
  /** The newest first. */
  list(options: { readonly limit: number; readonly keyId?: string }): Promise<readonly AuditEntry[]>
}

/** A stored session. Only a hash of its id is stored. */
export interface SessionRecord {
  /** SHA-256 of the session's id, in hexadecimal. */
  readonly idHash: string
  /** The token in each form of the session. */
  readonly csrf: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly usedAt: number
}

/** Maximum sessions. Beyond it, the least recently used session ends. */
export const MAX_SESSIONS = 100

export interface SessionRecords {
  insert(record: SessionRecord): Promise<void>
  find(idHash: string): Promise<SessionRecord | undefined>
  touch(idHash: string, usedAt: number): Promise<void>
  delete(idHash: string): Promise<void>
  /** Ends all sessions except `except`. */
  deleteAll(except?: string): Promise<void>
  /** Deletes sessions started or last used before these times (milliseconds since the epoch). */
  prune(startedBefore: number, usedBefore: number): Promise<void>
}

/** The stored operator's password: the salted slow hash that `password.ts` writes. */
export interface PasswordRecord {
  /** The hash; undefined if none is set yet. */
  read(): Promise<string | undefined>
  /** Sets the first hash. Resolves to false if one is already set. */
  createOnce(hash: string): Promise<boolean>
  replace(hash: string): Promise<void>
}

export interface Storage {
  readonly keys: KeyStore
  readonly usage: UsageStore
  readonly audit: AuditLog
  readonly sessions: SessionRecords
  readonly password: PasswordRecord
  /** Rejects if the storage does not answer (for `/readyz`). */
  check(): Promise<void>
  close(): Promise<void>
}
