// What operators did and who of them is signed in, in SQLite.
import type { DatabaseSync } from 'node:sqlite'
import { readAuditEntry, readSession } from '../stored-rows.ts'
import { type AuditLog, MAX_SESSIONS, REFUSALS_KEPT, type SessionRecords } from '../storage.ts'

export function sqliteAudit(database: DatabaseSync): AuditLog {
  const insert = database.prepare(
    'INSERT INTO audit (at, action, address, key_id, detail) VALUES (?, ?, ?, ?, ?)',
  )
  const forget = database.prepare("DELETE FROM audit WHERE action = 'sign-in-refused' AND number <= ?")
  const select = database.prepare(
    `SELECT at, action, address, key_id, detail FROM audit
     WHERE ?1 IS NULL OR key_id = ?1 ORDER BY number DESC LIMIT ?2`,
  )
  select.setReturnArrays(true)

  return {
    async append({ at, action, address, keyId, detail }) {
      const { lastInsertRowid } = insert.run(at, action, address, keyId, detail)
      if (action === 'sign-in-refused') forget.run(Number(lastInsertRowid) - REFUSALS_KEPT)
    },
    async list({ limit, keyId = null }) {
      return select.all(keyId, limit).map(readAuditEntry)
    },
  }
}

export function sqliteSessions(database: DatabaseSync): SessionRecords {
  const insert = database.prepare(
    'INSERT INTO sessions (id_hash, csrf, started_at, used_at) VALUES (?, ?, ?, ?)',
  )
  const forget = database.prepare(
    `DELETE FROM sessions WHERE id_hash IN
       (SELECT id_hash FROM sessions ORDER BY used_at DESC, started_at DESC LIMIT -1 OFFSET ${MAX_SESSIONS})`,
  )
  const select = database.prepare('SELECT id_hash, csrf, started_at, used_at FROM sessions WHERE id_hash = ?')
  const update = database.prepare('UPDATE sessions SET used_at = ? WHERE id_hash = ?')
  const remove = database.prepare('DELETE FROM sessions WHERE id_hash = ?')
  const removeOthers = database.prepare('DELETE FROM sessions WHERE id_hash IS NOT ?')
  const prune = database.prepare('DELETE FROM sessions WHERE started_at < ? OR used_at < ?')
  select.setReturnArrays(true)

  return {
    async insert({ idHash, csrf, startedAt, usedAt }) {
      insert.run(idHash, csrf, startedAt, usedAt)
      forget.run()
    },
    async find(idHash) {
      const row: unknown = select.get(idHash)
      return row === undefined ? undefined : readSession(row)
    },
    async touch(idHash, usedAt) {
      update.run(usedAt, idHash)
    },
    async delete(idHash) {
      remove.run(idHash)
    },
    async deleteAll(except) {
      removeOthers.run(except ?? null)
    },
    async prune(startedBefore, usedBefore) {
      prune.run(startedBefore, usedBefore)
    },
  }
}
