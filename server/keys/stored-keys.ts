// Keys in a database. The lookup is one prepared statement on an index; it sees a revocation on every instance as soon as
// that is committed (KEY-4). A deleted key stays in the table as a revoked row, so its id is never used again.
import type { Ask } from './database.ts'
import { damagedKey, hashSecret, KEY_COLUMNS, type KeySources, makeKey, readKey } from './key-record.ts'
import type { ApiKey, KeyStore } from './key-store.ts'

const INSERT = `INSERT INTO keys (hash, ${KEY_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
const INSERT_ONCE = `${INSERT} ON CONFLICT (id) DO NOTHING RETURNING id`
const FIND_ACTIVE = `SELECT ${KEY_COLUMNS} FROM keys WHERE hash = $1 AND revoked_at IS NULL`
const FIND = `SELECT ${KEY_COLUMNS} FROM keys WHERE id = $1 AND deleted_at IS NULL`
const LIST = `SELECT ${KEY_COLUMNS} FROM keys WHERE deleted_at IS NULL ORDER BY number DESC`
const REVOKE = 'UPDATE keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL RETURNING id'
const DELETE = `UPDATE keys SET revoked_at = coalesce(revoked_at, $1), deleted_at = $1
  WHERE id = $2 AND deleted_at IS NULL RETURNING id`

export function storedKeys(ask: Ask, sources: KeySources): KeyStore {
  const { now = Date.now } = sources

  return {
    async create(wanted) {
      const { key, secret, row } = makeKey(wanted, sources)
      await ask(INSERT, ...row)
      return { key, secret }
    },
    async createOnce(id, wanted) {
      const { key, secret, row } = makeKey(wanted, sources, id)
      const inserted = await ask(INSERT_ONCE, ...row)
      return inserted.length === 1 ? { key, secret } : undefined
    },
    async findActive(secret) {
      const [row] = await ask(FIND_ACTIVE, hashSecret(secret))
      return row === undefined ? undefined : readKey(row)
    },
    async find(id) {
      const [row] = isText(id) ? await ask(FIND, id) : []
      return row === undefined ? undefined : readShown(row)
    },
    list: async () => (await ask(LIST)).map(readShown),
    revoke: async (id) => isText(id) && (await ask(REVOKE, now(), id)).length === 1,
    delete: async (id) => isText(id) && (await ask(DELETE, now(), id)).length === 1,
  }
}

function readShown(row: unknown): ApiKey {
  return readKey(row) ?? damagedKey(row)
}

/** PostgreSQL rejects a NUL, which an address may contain; no id of a key has one. */
function isText(id: string): boolean {
  return !id.includes('\0')
}
