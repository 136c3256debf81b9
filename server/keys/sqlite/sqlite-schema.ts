// The schema of the SQLite database. Each migration is applied once, in order and atomically, however many processes open
// the file at the same time.
import type { DatabaseSync } from 'node:sqlite'

/** Migration n brings a file from version n to n + 1. A released migration never changes. */
export const migrations: readonly string[] = [
  `CREATE TABLE keys (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
     id TEXT NOT NULL UNIQUE,
     name TEXT NOT NULL,
     last_four TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     revoked_at INTEGER,
     models TEXT CHECK (json_type(models) = 'array'),
     limit_requests INTEGER CHECK (limit_requests > 0),
     limit_window_seconds INTEGER CHECK (limit_window_seconds > 0),
     CHECK ((limit_requests IS NULL) = (limit_window_seconds IS NULL))
   ) STRICT;
   -- A revoked key stays revoked (KEY-5), also after a direct write to the file.
   CREATE TRIGGER keys_stay_revoked BEFORE UPDATE ON keys WHEN OLD.revoked_at IS NOT NULL
   BEGIN SELECT RAISE(ABORT, 'a revoked key does not change'); END;`,
  `ALTER TABLE keys ADD COLUMN limit_concurrency INTEGER CHECK (limit_concurrency > 0);
   ALTER TABLE keys ADD COLUMN limit_tokens_per_minute INTEGER CHECK (limit_tokens_per_minute > 0);`,
  `CREATE TABLE key_usage (
     key_id TEXT NOT NULL,
     minute INTEGER NOT NULL,
     requests INTEGER NOT NULL,
     tokens INTEGER NOT NULL,
     last_used_at INTEGER NOT NULL,
     PRIMARY KEY (key_id, minute)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX key_usage_minute ON key_usage (minute);
   CREATE TABLE key_last_use (key_id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE audit (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     at INTEGER NOT NULL,
     action TEXT NOT NULL,
     address TEXT NOT NULL,
     key_id TEXT,
     detail TEXT NOT NULL
   ) STRICT;
   CREATE INDEX audit_of_key ON audit (key_id, number) WHERE key_id IS NOT NULL;
   CREATE INDEX audit_refusals ON audit (number) WHERE action = 'sign-in-refused';
   CREATE TABLE sessions (
     id_hash TEXT PRIMARY KEY,
     csrf TEXT NOT NULL,
     started_at INTEGER NOT NULL,
     used_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE keys ADD COLUMN deleted_at INTEGER CHECK (deleted_at IS NULL OR revoked_at IS NOT NULL);
   DROP TRIGGER keys_stay_revoked;
   -- Deleting is the only change of a revoked key, and nothing changes a deleted one (KEY-5, KEY-12).
   CREATE TRIGGER keys_stay_revoked BEFORE UPDATE ON keys
   WHEN OLD.deleted_at IS NOT NULL OR (OLD.revoked_at IS NOT NULL AND NEW.deleted_at IS NULL)
   BEGIN SELECT RAISE(ABORT, 'a revoked key does not change'); END;`,
]

/**
 * Brings the database to the version of the last migration; `user_version` holds its version. Throws if the file has a
 * newer version than this code knows.
 */
export function migrate(database: DatabaseSync, steps: readonly string[]): void {
  if (versionOf(database) === steps.length) return
  // The version is read again under the lock, so only one of several processes migrates.
  database.exec('BEGIN IMMEDIATE')
  try {
    const version = versionOf(database)
    if (version > steps.length)
      throw new Error(`the key database has version ${version}, this program knows up to ${steps.length}`)
    for (const step of steps.slice(version)) database.exec(step)
    database.exec(`PRAGMA user_version = ${steps.length}`)
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
}
