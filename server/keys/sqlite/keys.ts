// Keys in SQLite: every statement is prepared once, and one lookup costs a few microseconds, on a path that every
// request takes.
import type { DatabaseSync } from 'node:sqlite'
import { hashSecret, KEY_COLUMNS, type KeySources, makeKey, readKey } from '../key-record.ts'
import type { KeyStore } from '../key-store.ts'

export function sqliteKeys(database: DatabaseSync, sources: KeySources): KeyStore {
  const { now = Date.now } = sources
  const insert = database.prepare(
    `INSERT INTO keys (hash, ${KEY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertOnce = database.prepare(
    `INSERT INTO keys (hash, ${KEY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
  )
  const select = database.prepare(`SELECT ${KEY_COLUMNS} FROM keys WHERE hash = ? AND revoked_at IS NULL`)
  const selectOne = database.prepare(`SELECT ${KEY_COLUMNS} FROM keys WHERE id = ?`)
  const selectAll = database.prepare(`SELECT ${KEY_COLUMNS} FROM keys ORDER BY number DESC`)
  const update = database.prepare('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  // A row as an array costs a fifth less than one as an object.
  for (const statement of [select, selectOne, selectAll]) statement.setReturnArrays(true)

  return {
    async create(wanted) {
      const { key, secret, row } = makeKey(wanted, sources)
      insert.run(...row)
      return { key, secret }
    },

    async createOnce(id, wanted) {
      const { key, secret, row } = makeKey(wanted, sources, id)
      return insertOnce.run(...row).changes === 1 ? { key, secret } : undefined
    },

    async findActive(secret) {
      const row: unknown = select.get(hashSecret(secret))
      return row === undefined ? undefined : readKey(row)
    },

    async find(id) {
      const row: unknown = selectOne.get(id)
      return row === undefined ? undefined : readKey(row)
    },

    async list() {
      return selectAll.all().map(readKey)
    },

    async revoke(id) {
      return update.run(now(), id).changes === 1
    },
  }
}
