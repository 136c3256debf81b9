// What keys were used for, in SQLite. The last use of a key stands apart from the minutes, which are forgotten.
import type { DatabaseSync } from 'node:sqlite'
import { readLastUse, readUsage } from '../stored-rows.ts'
import type { UsageStore } from '../storage.ts'
import type { WhenFree } from './when-free.ts'

export function sqliteUsage(database: DatabaseSync, whenFree: WhenFree): UsageStore {
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
  const columns = 'key_id, minute, requests, tokens, last_used_at'
  const select = database.prepare(
    `SELECT ${columns} FROM key_usage WHERE minute >= ? ORDER BY minute, key_id`,
  )
  const selectOne = database.prepare(
    `SELECT ${columns} FROM key_usage WHERE minute >= ? AND key_id = ? ORDER BY minute`,
  )
  // A number is bound as a real one, whose quotient is no whole number yet.
  const selectSums = database.prepare(
    `SELECT key_id, ?1 + CAST((minute - ?1) / ?2 AS INTEGER) * ?2 AS span, sum(requests), sum(tokens), max(last_used_at)
     FROM key_usage WHERE key_id IN (SELECT value FROM json_each(?3)) AND minute >= ?1
     GROUP BY key_id, span ORDER BY span, key_id`,
  )
  const selectLast = database.prepare('SELECT key_id, at FROM key_last_use')
  const remove = database.prepare('DELETE FROM key_usage WHERE minute < ?')
  for (const statement of [select, selectOne, selectSums, selectLast]) statement.setReturnArrays(true)

  // These counts come every second, and nobody was promised them: they wait for no disk. A power loss may take the
  // last of them; what is written with FULL afterwards takes them along.
  function add(records: Parameters<UsageStore['add']>[0]): void {
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

    async since(minute, keyId) {
      const rows = keyId === undefined ? select.all(minute) : selectOne.all(minute, keyId)
      return rows.map(readUsage)
    },

    async sums(minute, minutes, keyIds) {
      return selectSums.all(minute, minutes, JSON.stringify(keyIds)).map(readUsage)
    },

    async lastUsed() {
      return new Map(selectLast.all().map(readLastUse))
    },

    async prune(minute) {
      await whenFree(() => remove.run(minute))
    },
  }
}
