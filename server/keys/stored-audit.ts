// The audit log in a database: the actions of operators. It contains no secret.
import { z } from 'zod'
import type { Ask } from './database.ts'

/** The actions of the audit log, as they are stored. */
export const AUDIT_ACTIONS = [
  'sign-in',
  'sign-in-refused',
  'sign-out',
  'key-created',
  'key-revoked',
  'key-deleted',
  'password-changed',
] as const

/**
 * A refused sign-in is deleted after this many later entries. Refused sign-ins need no password, so their number is
 * bounded; all other entries are kept.
 */
export const REFUSALS_KEPT = 1000

const INSERT = 'INSERT INTO audit (at, action, address, key_id, detail) VALUES ($1, $2, $3, $4, $5)'
const FORGET = `DELETE FROM audit WHERE action = 'sign-in-refused'
  AND number <= (SELECT max(number) FROM audit) - ${REFUSALS_KEPT}`
const LIST = `SELECT at, action, address, key_id, detail FROM audit
  WHERE CAST($1 AS text) IS NULL OR key_id = $1 ORDER BY number DESC LIMIT $2`

const auditRow = z
  .tuple([z.number(), z.enum(AUDIT_ACTIONS), z.string(), z.string().nullable(), z.string()])
  .transform(([at, action, address, keyId, detail]) => ({
    /** Milliseconds since the epoch. */
    at,
    action,
    /** The address of the client. */
    address,
    keyId,
    /** Details, for example the name of the key. */
    detail,
  }))

export type AuditEntry = z.output<typeof auditRow>

export type AuditLog = ReturnType<typeof storedAudit>

export function storedAudit(ask: Ask) {
  return {
    async append({ at, action, address, keyId, detail }: AuditEntry): Promise<void> {
      await ask(INSERT, at, action, address, keyId, detail)
      if (action === 'sign-in-refused') await ask(FORGET)
    },
    /** The newest first. */
    async list({ limit, keyId = null }: { limit: number; keyId?: string | null }): Promise<AuditEntry[]> {
      return (await ask(LIST, keyId, limit)).map((row) => auditRow.parse(row))
    },
  }
}
