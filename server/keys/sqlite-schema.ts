// The form of the key database, and how an older file gets it: each migration is applied once, in order, whole or
// not at all, however many processes open the file at the same moment.
import type { DatabaseSync } from 'node:sqlite'

/** Migration n brings a file from version n to n + 1. A released one is never edited: a change is a new one. */
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
   -- A key that was revoked stays so (KEY-5), whoever writes to the file.
   CREATE TRIGGER keys_stay_revoked BEFORE UPDATE ON keys WHEN OLD.revoked_at IS NOT NULL
   BEGIN SELECT RAISE(ABORT, 'a revoked key does not change'); END;`,
  `ALTER TABLE keys ADD COLUMN limit_concurrency INTEGER CHECK (limit_concurrency > 0);
   ALTER TABLE keys ADD COLUMN limit_tokens_per_minute INTEGER CHECK (limit_tokens_per_minute > 0);`,
]

/**
 * Brings the database to the version of the last migration; SQLite's `user_version` says where it stands. Throws
 * where the file is of a newer version than this code knows: it would misread what it finds.
 */
export function migrate(database: DatabaseSync, steps: readonly string[]): void {
  if (versionOf(database) === steps.length) return
  // The lock is taken before the version is read again, so that of several processes one migrates.
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
