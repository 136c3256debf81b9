// The usage statements that only SQLite has.
import type { DatabaseSync } from 'node:sqlite'
import type { Ask } from '../database.ts'
import type { UsageRecord } from '../stored-usage.ts'
import type { UsageStatements } from '../stored-usage.ts'
import type { WhenFree } from './when-free.ts'

// Numbers are bound as floats, so the quotient is rounded down.
const SUMS = `SELECT key_id, $1 + CAST((minute - $1) / $2 AS INTEGER) * $2 AS span,
    sum(requests), sum(tokens), max(last_used_at)
  FROM key_usage WHERE key_id IN (SELECT value FROM json_each($3)) AND minute >= $1
  GROUP BY key_id, span ORDER BY span, key_id`

export function sqliteUsage(database: DatabaseSync, whenFree: WhenFree, ask: Ask): UsageStatements {
  const insert = database.prepare(
    `INSERT INTO key_usage (key_id, minute, requests, tokens, last_used_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (key_id, minute) DO UPDATE SET
       requests = requests + excluded.requests,
       tokens = tokens + excluded.tokens,
       last_used_at = max(last_used_at, excluded.last_used_at)`,
  )
  const insertLast = database.prepare(
    `INSERT INTO key_last_use (key_id, at) VALUES (?, ?)
     ON CONFLICT (key_id) DO UPDATE SET at = max(at, excluded.at)`,
  )

  // Usage is written every second and may lose its last second in a power loss, so it does not wait for the disk. The
  // next write with FULL includes it.
  function add(records: readonly UsageRecord[]): void {
    try {
      database.exec('PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE')
      for (const { keyId, minute, requests, tokens, lastUsedAt } of records) {
        insert.run(keyId, minute, requests, tokens, lastUsedAt)
        insertLast.run(keyId, lastUsedAt)
      }
      database.exec('COMMIT')
    } finally {
      if (database.isTransaction) database.exec('ROLLBACK')
      database.exec('PRAGMA synchronous = FULL')
    }
  }

  return {
    add: (records) => whenFree(() => add(records)),
    sums: (minute, minutes, keyIds) => ask(SUMS, minute, minutes, JSON.stringify(keyIds)),
  }
}
