// The audit log and the sessions of operators in a database. Every instance that shares it can serve the dashboard.
import { z } from 'zod'
import type { Ask } from './database.ts'
import { AUDIT_ACTIONS, type AuditLog, MAX_SESSIONS, REFUSALS_KEPT, type SessionRecords } from './storage.ts'

const AUDIT_INSERT = 'INSERT INTO audit (at, action, address, key_id, detail) VALUES ($1, $2, $3, $4, $5)'
const AUDIT_FORGET = `DELETE FROM audit WHERE action = 'sign-in-refused'
  AND number <= (SELECT max(number) FROM audit) - ${REFUSALS_KEPT}`
const AUDIT_LIST = `SELECT at, action, address, key_id, detail FROM audit
  WHERE CAST($1 AS text) IS NULL OR key_id = $1 ORDER BY number DESC LIMIT $2`

const auditRow = z.tuple([z.number(), z.enum(AUDIT_ACTIONS), z.string(), z.string().nullable(), z.string()])

export function storedAudit(ask: Ask): AuditLog {
  return {
    async append({ at, action, address, keyId, detail }) {
      await ask(AUDIT_INSERT, at, action, address, keyId, detail)
      if (action === 'sign-in-refused') await ask(AUDIT_FORGET)
    },
    async list({ limit, keyId: wanted = null }) {
      return (await ask(AUDIT_LIST, wanted, limit)).map((row) => {
        const [at, action, address, keyId, detail] = auditRow.parse(row)
        return { at, action, address, keyId, detail }
      })
    },
  }
}

const SESSION_INSERT = 'INSERT INTO sessions (id_hash, csrf, started_at, used_at) VALUES ($1, $2, $3, $4)'
const SESSION_FORGET = `DELETE FROM sessions WHERE id_hash NOT IN
  (SELECT id_hash FROM sessions ORDER BY used_at DESC, started_at DESC LIMIT ${MAX_SESSIONS})`
const SESSION_FIND = 'SELECT id_hash, csrf, started_at, used_at FROM sessions WHERE id_hash = $1'
const SESSION_TOUCH = 'UPDATE sessions SET used_at = $1 WHERE id_hash = $2'
const SESSION_DELETE = 'DELETE FROM sessions WHERE id_hash = $1'
const SESSION_DELETE_ALL = 'DELETE FROM sessions WHERE id_hash IS DISTINCT FROM $1'
const SESSION_PRUNE = 'DELETE FROM sessions WHERE started_at < $1 OR used_at < $2'

const sessionRow = z.tuple([z.string(), z.string(), z.number(), z.number()])

export function storedSessions(ask: Ask): SessionRecords {
  return {
    async insert({ idHash, csrf, startedAt, usedAt }) {
      await ask(SESSION_INSERT, idHash, csrf, startedAt, usedAt)
      await ask(SESSION_FORGET)
    },
    async find(wanted) {
      const [row] = await ask(SESSION_FIND, wanted)
      if (row === undefined) return undefined
      const [idHash, csrf, startedAt, usedAt] = sessionRow.parse(row)
      return { idHash, csrf, startedAt, usedAt }
    },
    async touch(idHash, usedAt) {
      await ask(SESSION_TOUCH, usedAt, idHash)
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
