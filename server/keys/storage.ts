// The port to everything that the service keeps: keys, what they were used for, who changed what, and who is signed
// in. One storage is one database; several instances may share it.
import type { KeyStore } from './key-store.ts'

/** What one key did in one minute, added to what other instances saw of it. */
export interface UsageRecord {
  readonly keyId: string
  /** The minute since the epoch. */
  readonly minute: number
  /** Requests with this key, refused ones included. */
  readonly requests: number
  /** Tokens of prompts and answers. */
  readonly tokens: number
  /** The last request within the minute, in milliseconds since the epoch. */
  readonly lastUsedAt: number
}

export interface UsageStore {
  /** Adds to what is there. All or nothing. */
  add(records: readonly UsageRecord[]): Promise<void>
  /** Every record from this minute on, in the order of the minutes; of one key, or of all. */
  since(minute: number, keyId?: string): Promise<readonly UsageRecord[]>
  /**
   * The same of these keys, added up over spans of `minutes` from `minute` on; each sum stands at the first minute of
   * its span. Spans without a request are left out.
   */
  sums(minute: number, minutes: number, keyIds: readonly string[]): Promise<readonly UsageRecord[]>
  /** When each key was last used, in milliseconds since the epoch; kept for longer than the records themselves. */
  lastUsed(): Promise<ReadonlyMap<string, number>>
  /** Forgets records before this minute. */
  prune(minute: number): Promise<void>
}

/** The actions of the audit log, as they are stored. */
export const AUDIT_ACTIONS = [
  'sign-in',
  'sign-in-refused',
  'sign-out',
  'key-created',
  'key-revoked',
  'password-changed',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** What an operator did. Nothing secret stands in one. */
export interface AuditEntry {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly action: AuditAction
  /** Where the request came from. */
  readonly address: string
  readonly keyId: string | null
  /** A word more, as the name of the key. */
  readonly detail: string
}

/**
 * How many entries back a refused sign-in is forgotten: anybody can make one without a password, so that they are
 * bounded. What an operator did is kept.
 */
export const REFUSALS_KEPT = 1000

export interface AuditLog {
  append(entry: AuditEntry): Promise<void>
  /** The newest first. */
  list(options: { readonly limit: number; readonly keyId?: string }): Promise<readonly AuditEntry[]>
}

/** A session as it is kept: nothing of its id but a hash. */
export interface SessionRecord {
  /** SHA-256 of the session's id, in hexadecimal. */
  readonly idHash: string
  /** Stands in each form of the session. */
  readonly csrf: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly usedAt: number
}

/** Over this many sessions the one that was used longest ago ends. */
export const MAX_SESSIONS = 100

export interface SessionRecords {
  insert(record: SessionRecord): Promise<void>
  find(idHash: string): Promise<SessionRecord | undefined>
  touch(idHash: string, usedAt: number): Promise<void>
  delete(idHash: string): Promise<void>
  /** Ends all sessions but `except`, as a changed password does. */
  deleteAll(except?: string): Promise<void>
  /** Forgets what was started, or last used, before these times (milliseconds since the epoch). */
  prune(startedBefore: number, usedBefore: number): Promise<void>
}

/** The operator's password as it is kept: a salted slow hash, as `password.ts` writes it. */
export interface PasswordRecord {
  /** The hash, or undefined where none was set yet. */
  read(): Promise<string | undefined>
  /** Sets the first one; false where another instance was faster. */
  createOnce(hash: string): Promise<boolean>
  replace(hash: string): Promise<void>
}

export interface Storage {
  readonly keys: KeyStore
  readonly usage: UsageStore
  readonly audit: AuditLog
  readonly sessions: SessionRecords
  readonly password: PasswordRecord
  /** Resolves when the storage can answer; rejects otherwise (for `/readyz`). */
  check(): Promise<void>
  close(): Promise<void>
}
