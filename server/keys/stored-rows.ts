// Rows of plain values, in the order of the columns, as the records that they stand for. The same for all databases;
// what is not such a row is refused, never passed on.
import { z } from 'zod'
import { AUDIT_ACTIONS, type AuditEntry, type SessionRecord, type UsageRecord } from './storage.ts'

const usageRow = z.tuple([z.string(), z.number(), z.number(), z.number(), z.number()])
const auditRow = z.tuple([z.number(), z.enum(AUDIT_ACTIONS), z.string(), z.string().nullable(), z.string()])
const sessionRow = z.tuple([z.string(), z.string(), z.number(), z.number()])
const lastUseRow = z.tuple([z.string(), z.number()])

/** From `key_id, minute, requests, tokens, last_used_at`. */
export function readUsage(row: unknown): UsageRecord {
  const [keyId, minute, requests, tokens, lastUsedAt] = usageRow.parse(row)
  return { keyId, minute, requests, tokens, lastUsedAt }
}

/** From `at, action, address, key_id, detail`. */
export function readAuditEntry(row: unknown): AuditEntry {
  const [at, action, address, keyId, detail] = auditRow.parse(row)
  return { at, action, address, keyId, detail }
}

/** From `id_hash, csrf, started_at, used_at`. */
export function readSession(row: unknown): SessionRecord {
  const [idHash, csrf, startedAt, usedAt] = sessionRow.parse(row)
  return { idHash, csrf, startedAt, usedAt }
}

/** From `key_id, at`: an entry of a map. */
export function readLastUse(row: unknown): [string, number] {
  return lastUseRow.parse(row)
}
