// Keys in PostgreSQL: the lookup is one prepared statement on an index, asked on every request, so that a revocation
// acts at once on every instance (KEY-4).
import { hashSecret, KEY_COLUMNS, type KeySources, makeKey, readKey } from '../key-record.ts'
import type { KeyStore } from '../key-store.ts'
import type { PostgresPool } from './pool.ts'

const INSERT = {
  name: 'key-insert',
  text: `INSERT INTO keys (hash, ${KEY_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
}
const INSERT_ONCE = { name: 'key-insert-once', text: `${INSERT.text} ON CONFLICT (id) DO NOTHING` }
const FIND_ACTIVE = {
  name: 'key-find-active',
  text: `SELECT ${KEY_COLUMNS} FROM keys WHERE hash = $1 AND revoked_at IS NULL`,
}
const FIND = { name: 'key-find', text: `SELECT ${KEY_COLUMNS} FROM keys WHERE id = $1` }
const LIST = { name: 'key-list', text: `SELECT ${KEY_COLUMNS} FROM keys ORDER BY number DESC` }
const REVOKE = {
  name: 'key-revoke',
  text: 'UPDATE keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL',
}

export function postgresKeys({ ask }: PostgresPool, sources: KeySources): KeyStore {
  const { now = Date.now } = sources
  return {
    async create(wanted) {
      const { key, secret, row } = makeKey(wanted, sources)
      await ask(INSERT, ...row)
      return { key, secret }
    },
    async createOnce(id, wanted) {
      const { key, secret, row } = makeKey(wanted, sources, id)
      return (await ask(INSERT_ONCE, ...row)).count === 1 ? { key, secret } : undefined
    },
    async findActive(secret) {
      const [row] = (await ask(FIND_ACTIVE, hashSecret(secret))).rows
      return row === undefined ? undefined : readKey(row)
    },
    async find(id) {
      if (!isText(id)) return undefined
      const [row] = (await ask(FIND, id)).rows
      return row === undefined ? undefined : readKey(row)
    },
    async list() {
      return (await ask(LIST)).rows.map(readKey)
    },
    async revoke(id) {
      return isText(id) && (await ask(REVOKE, now(), id)).count === 1
    },
  }
}

/** An id comes from an address that anybody may have typed; PostgreSQL takes no NUL, and no key has one. */
function isText(id: string): boolean {
  return !id.includes('\0')
}
