// The usage statements that only PostgreSQL has.
import type { PostgresPool } from './pool.ts'
import type { UsageStatements } from '../stored-usage.ts'

// One statement, so that all records are added or none. All instances lock the rows in the same order, which prevents
// deadlocks.
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
const SUMS = `SELECT key_id, $1 + (minute - $1) / $2 * $2 AS span,
           sum(requests)::bigint, sum(tokens)::bigint, max(last_used_at)
         FROM key_usage WHERE key_id = ANY ($3::text[]) AND minute >= $1
         GROUP BY key_id, span ORDER BY span, key_id`
export function postgresUsage(ask: PostgresPool['ask']): UsageStatements {
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
    sums: (minute, minutes, keyIds) => ask(SUMS, minute, minutes, [...keyIds]),
  }
}
