// What keys were used for, in PostgreSQL. The last use of a key stands apart from the minutes, which are forgotten.
import type { PostgresPool } from './pool.ts'
import type { UsageStore } from '../storage.ts'
import { readLastUse, readUsage } from '../stored-rows.ts'

// One statement, so that all is added or nothing. Every instance takes the rows in the same order: none waits for
// another in a circle.
const ADD = `WITH added AS (
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
        AS of (key_id, minute, requests, tokens, last_used_at)
    ), minutes AS (
      INSERT INTO key_usage (key_id, minute, requests, tokens, last_used_at)
      SELECT key_id, minute, sum(requests)::bigint, sum(tokens)::bigint, max(last_used_at)
        FROM added GROUP BY key_id, minute ORDER BY key_id, minute
      ON CONFLICT (key_id, minute) DO UPDATE SET
        requests = key_usage.requests + excluded.requests,
        tokens = key_usage.tokens + excluded.tokens,
        last_used_at = greatest(key_usage.last_used_at, excluded.last_used_at)
    )
    INSERT INTO key_last_use (key_id, at)
    SELECT key_id, max(last_used_at) FROM added GROUP BY key_id ORDER BY key_id
    ON CONFLICT (key_id) DO UPDATE SET at = greatest(key_last_use.at, excluded.at)`
const COLUMNS = 'key_id, minute, requests, tokens, last_used_at'
const SINCE = `SELECT ${COLUMNS} FROM key_usage WHERE minute >= $1 ORDER BY minute, key_id COLLATE "C"`
const SINCE_OF_KEY = `SELECT ${COLUMNS} FROM key_usage WHERE minute >= $1 AND key_id = $2 ORDER BY minute`
const SUMS = `SELECT key_id, $1 + (minute - $1) / $2 * $2 AS span,
           sum(requests)::bigint, sum(tokens)::bigint, max(last_used_at)
         FROM key_usage WHERE key_id = ANY ($3::text[]) AND minute >= $1
         GROUP BY key_id, span ORDER BY span, key_id COLLATE "C"`
const LAST_USED = 'SELECT key_id, at FROM key_last_use'
const PRUNE = 'DELETE FROM key_usage WHERE minute < $1'

export function postgresUsage(ask: PostgresPool['ask']): UsageStore {
  return {
    async add(records) {
      await ask(
        ADD,
        records.map(({ keyId }) => keyId),
        records.map(({ minute }) => minute),
        records.map(({ requests }) => requests),
        records.map(({ tokens }) => tokens),
        records.map(({ lastUsedAt }) => lastUsedAt),
      )
    },
    async since(minute, keyId) {
      const rows = await (keyId === undefined ? ask(SINCE, minute) : ask(SINCE_OF_KEY, minute, keyId))
      return rows.map(readUsage)
    },
    async sums(minute, minutes, keyIds) {
      return (await ask(SUMS, minute, minutes, [...keyIds])).map(readUsage)
    },
    async lastUsed() {
      return new Map((await ask(LAST_USED)).map(readLastUse))
    },
    async prune(minute) {
      await ask(PRUNE, minute)
    },
  }
}
