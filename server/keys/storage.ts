// The interface of everything that the service stores: keys, their usage, the audit log, sessions and the operator's
// password. One storage is one database, which several instances may share.
import type { KeyStore } from './key-store.ts'
import type { AuditLog } from './stored-audit.ts'
import type { SessionRecords } from './stored-sessions.ts'
import type { UsageStore } from './stored-usage.ts'

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
