// The schema of the PostgreSQL database. Each migration is applied once, in order and atomically, however many instances
// start at the same time.
import { Client } from 'pg'
import { connectionSettings, type PostgresOptions } from './pool.ts'

/** Migration n brings a database from version n to n + 1. A released migration never changes. */
export const migrations: readonly string[] = [
  `CREATE TABLE keys (
     number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
     id text NOT NULL UNIQUE,
     name text NOT NULL,
     last_four text NOT NULL,
     created_at bigint NOT NULL,
     revoked_at bigint,
     models text CHECK (json_typeof(models::json) = 'array'),
     limit_requests bigint CHECK (limit_requests > 0),
     limit_window_seconds bigint CHECK (limit_window_seconds > 0),
     limit_concurrency bigint CHECK (limit_concurrency > 0),
     limit_tokens_per_minute bigint CHECK (limit_tokens_per_minute > 0),
     CHECK ((limit_requests IS NULL) = (limit_window_seconds IS NULL))
   );
   -- A revoked key stays revoked (KEY-5), also after a direct write to the table.
   CREATE FUNCTION keys_stay_revoked() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN RAISE EXCEPTION 'a revoked key does not change'; END $$;
   CREATE TRIGGER keys_stay_revoked BEFORE UPDATE ON keys FOR EACH ROW WHEN (OLD.revoked_at IS NOT NULL)
     EXECUTE FUNCTION keys_stay_revoked();

   CREATE TABLE key_usage (
     key_id text NOT NULL,
     minute bigint NOT NULL,
     requests bigint NOT NULL,
     tokens bigint NOT NULL,
     last_used_at bigint NOT NULL,
     PRIMARY KEY (key_id, minute)
   );
   CREATE INDEX key_usage_minute ON key_usage (minute);
   CREATE TABLE key_last_use (key_id text PRIMARY KEY, at bigint NOT NULL);

   CREATE TABLE audit (
     number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     at bigint NOT NULL,
     action text NOT NULL,
     address text NOT NULL,
     key_id text,
     detail text NOT NULL
   );
   CREATE INDEX audit_of_key ON audit (key_id, number) WHERE key_id IS NOT NULL;
   CREATE INDEX audit_refusals ON audit (number) WHERE action = 'sign-in-refused';

   CREATE TABLE sessions (
     id_hash text PRIMARY KEY,
     csrf text NOT NULL,
     started_at bigint NOT NULL,
     used_at bigint NOT NULL
   );
   CREATE TABLE operator_password (one boolean PRIMARY KEY DEFAULT true CHECK (one), hash text NOT NULL);`,
  `ALTER TABLE keys ADD COLUMN deleted_at bigint CHECK (deleted_at IS NULL OR revoked_at IS NOT NULL);
   DROP TRIGGER keys_stay_revoked ON keys;
   -- Deleting is the only change of a revoked key, and nothing changes a deleted one (KEY-5, KEY-12).
   CREATE TRIGGER keys_stay_revoked BEFORE UPDATE ON keys FOR EACH ROW
     WHEN (OLD.deleted_at IS NOT NULL OR (OLD.revoked_at IS NOT NULL AND NEW.deleted_at IS NULL))
     EXECUTE FUNCTION keys_stay_revoked();`,
]

/** How long a start waits for its migrations and those of other instances, in milliseconds. */
const MIGRATION_MS = 60_000

/** The advisory lock for migrations, an arbitrary number of this project. */
const LOCK = 7_865_421_093

/**
 * Brings the database to the version of the last migration; the table `schema_version` holds its version. Throws if the
 * database has a newer version than this code knows.
 */
export async function migrate(
  options: PostgresOptions,
  steps: readonly string[] = migrations,
): Promise<void> {
  const client = new Client({ ...connectionSettings(options), query_timeout: MIGRATION_MS })
  // A broken connection also fails the statement in flight. Without a listener the event would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('BEGIN')
    // Held until the transaction ends.
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`)
    await client.query('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)')
    const { rows } = await client.query('SELECT version FROM schema_version')
    const version = Number(rows[0]?.version ?? 0)
    if (version > steps.length)
      throw new Error(`the key database has version ${version}, this program knows up to ${steps.length}`)
    for (const step of steps.slice(version)) await client.query(step)
    if (version < steps.length) {
      await client.query('DELETE FROM schema_version')
      await client.query('INSERT INTO schema_version VALUES ($1)', [steps.length])
    }
    await client.query('COMMIT')
  } finally {
    await client.end().catch(() => {})
  }
}
