// What operators did, who of them is signed in, and their password, in PostgreSQL: so that any instance can serve the
// dashboard.
import type { PostgresPool } from './pool.ts'
import {
  type AuditLog,
  MAX_SESSIONS,
  type PasswordRecord,
  REFUSALS_KEPT,
  type SessionRecords,
} from '../storage.ts'
import { readAuditEntry, readSession } from '../stored-rows.ts'

const AUDIT_INSERT = {
  name: 'audit-insert',
  text: 'INSERT INTO audit (at, action, address, key_id, detail) VALUES ($1, $2, $3, $4, $5)',
}
const AUDIT_FORGET = {
  name: 'audit-forget',
  text: `DELETE FROM audit WHERE action = 'sign-in-refused'
           AND number <= (SELECT max(number) FROM audit) - ${REFUSALS_KEPT}`,
}
const AUDIT_LIST = {
  name: 'audit-list',
  text: `SELECT at, action, address, key_id, detail FROM audit
         WHERE $1::text IS NULL OR key_id = $1 ORDER BY number DESC LIMIT $2`,
}

export function postgresAudit({ ask }: PostgresPool): AuditLog {
  return {
    async append({ at, action, address, keyId, detail }) {
      await ask(AUDIT_INSERT, at, action, address, keyId, detail)
      if (action === 'sign-in-refused') await ask(AUDIT_FORGET)
    },
    async list({ limit, keyId = null }) {
      return (await ask(AUDIT_LIST, keyId, limit)).rows.map(readAuditEntry)
    },
  }
}

const SESSION_INSERT = {
  name: 'session-insert',
  text: 'INSERT INTO sessions (id_hash, csrf, started_at, used_at) VALUES ($1, $2, $3, $4)',
}
const SESSION_FORGET = {
  name: 'session-forget',
  text: `DELETE FROM sessions WHERE id_hash IN
           (SELECT id_hash FROM sessions ORDER BY used_at DESC, started_at DESC OFFSET ${MAX_SESSIONS})`,
}
const SESSION_FIND = {
  name: 'session-find',
  text: 'SELECT id_hash, csrf, started_at, used_at FROM sessions WHERE id_hash = $1',
}
const SESSION_TOUCH = { name: 'session-touch', text: 'UPDATE sessions SET used_at = $2 WHERE id_hash = $1' }
const SESSION_DELETE = { name: 'session-delete', text: 'DELETE FROM sessions WHERE id_hash = $1' }
const SESSION_DELETE_ALL = {
  name: 'session-delete-all',
  text: 'DELETE FROM sessions WHERE id_hash IS DISTINCT FROM $1',
}
const SESSION_PRUNE = {
  name: 'session-prune',
  text: 'DELETE FROM sessions WHERE started_at < $1 OR used_at < $2',
}

export function postgresSessions({ ask }: PostgresPool): SessionRecords {
  return {
    async insert({ idHash, csrf, startedAt, usedAt }) {
      await ask(SESSION_INSERT, idHash, csrf, startedAt, usedAt)
      await ask(SESSION_FORGET)
    },
    async find(idHash) {
      const [row] = (await ask(SESSION_FIND, idHash)).rows
      return row === undefined ? undefined : readSession(row)
    },
    async touch(idHash, usedAt) {
      await ask(SESSION_TOUCH, idHash, usedAt)
    },
    async delete(idHash) {
      await ask(SESSION_DELETE, idHash)
    },
    async deleteAll(except) {
      await ask(SESSION_DELETE_ALL, except ?? null)
    },
    async prune(startedBefore, usedBefore) {
      await ask(SESSION_PRUNE, startedBefore, usedBefore)
    },
  }
}

const PASSWORD_READ = { name: 'password-read', text: 'SELECT hash FROM operator_password' }
const PASSWORD_CREATE = {
  name: 'password-create',
  text: 'INSERT INTO operator_password (hash) VALUES ($1) ON CONFLICT DO NOTHING',
}
const PASSWORD_REPLACE = {
  name: 'password-replace',
  text: `INSERT INTO operator_password (hash) VALUES ($1)
         ON CONFLICT (one) DO UPDATE SET hash = excluded.hash`,
}

export function postgresPassword({ ask }: PostgresPool): PasswordRecord {
  return {
    async read() {
      const [row] = (await ask(PASSWORD_READ)).rows
      return Array.isArray(row) ? String(row[0]) : undefined
    },
    async createOnce(hash) {
      return (await ask(PASSWORD_CREATE, hash)).count === 1
    },
    async replace(hash) {
      await ask(PASSWORD_REPLACE, hash)
    },
  }
}
