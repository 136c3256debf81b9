// The usage of keys in a database. The last use of a key is stored apart from the minutes, which are deleted by age.
import { z } from 'zod'
import type { Ask } from './database.ts'
import type { UsageRecord, UsageStore } from './storage.ts'

const COLUMNS = 'key_id, minute, requests, tokens, last_used_at'
const SINCE = `SELECT ${COLUMNS} FROM key_usage WHERE minute >= $1 ORDER BY minute, key_id`
const SINCE_OF_KEY = `SELECT ${COLUMNS} FROM key_usage WHERE minute >= $1 AND key_id = $2 ORDER BY minute`
const LAST_USED = 'SELECT key_id, at FROM key_last_use'
const PRUNE = 'DELETE FROM key_usage WHERE minute < $1'
const PRUNE_LAST_USE =
  'DELETE FROM key_last_use WHERE key_id IN (SELECT id FROM keys WHERE deleted_at IS NOT NULL)'

const usageRow = z.tuple([z.string(), z.number(), z.number(), z.number(), z.number()])
const lastUseRow = z.tuple([z.string(), z.number()])

/** The statements that differ between the databases. `sums` returns rows of `COLUMNS`. */
export interface UsageStatements {
  readonly add: UsageStore['add']
  sums(minute: number, minutes: number, keyIds: readonly string[]): Promise<readonly unknown[]>
}

export function storedUsage(ask: Ask, { add, sums }: UsageStatements): UsageStore {
  return {
    add,
    async since(minute, keyId) {
      const rows = await (keyId === undefined ? ask(SINCE, minute) : ask(SINCE_OF_KEY, minute, keyId))
      return rows.map(readUsage)
    },
    sums: async (...span) => (await sums(...span)).map(readUsage),
    lastUsed: async () => new Map((await ask(LAST_USED)).map((row) => lastUseRow.parse(row))),
    async prune(minute) {
      await ask(PRUNE, minute)
      await ask(PRUNE_LAST_USE)
    },
  }
}

function readUsage(row: unknown): UsageRecord {
  const [keyId, minute, requests, tokens, lastUsedAt] = usageRow.parse(row)
  return { keyId, minute, requests, tokens, lastUsedAt }
}
