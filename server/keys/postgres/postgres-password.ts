// The operator's password in PostgreSQL: one row that all instances share.
import type { PasswordRecord } from '../storage.ts'
import type { Ask } from '../database.ts'

const READ = 'SELECT hash FROM operator_password'
const CREATE = 'INSERT INTO operator_password (hash) VALUES ($1) ON CONFLICT DO NOTHING RETURNING hash'
const REPLACE = `INSERT INTO operator_password (hash) VALUES ($1)
  ON CONFLICT (one) DO UPDATE SET hash = excluded.hash`

export function postgresPassword(ask: Ask): PasswordRecord {
  return {
    async read() {
      const [row] = await ask(READ)
      return Array.isArray(row) ? String(row[0]) : undefined
    },
    createOnce: async (hash) => (await ask(CREATE, hash)).length === 1,
    async replace(hash) {
      await ask(REPLACE, hash)
    },
  }
}
