// One PostgreSQL database for everything that the service keeps, shared by any number of instances. What `create` and
// `revoke` have answered is committed, and every instance sees it on its next request (KEY-4).
import type { KeySources } from '../key-record.ts'
import { postgresKeys } from './keys.ts'
import { postgresAudit, postgresPassword, postgresSessions } from './operator.ts'
import { openPool, type PostgresOptions } from './pool.ts'
import { migrate } from './schema.ts'
import { postgresUsage } from './usage.ts'
import type { Storage } from '../storage.ts'

const CHECK = { name: 'check', text: 'SELECT count(*) FROM (SELECT 1 FROM keys LIMIT 1) AS any_key' }

/**
 * Opens the storage and brings the database up to date. Throws where it cannot be reached, or was written by a newer
 * version of this project. Afterwards every call throws a 503 `ApiError` while the database is down.
 */
export async function openPostgresStorage(options: PostgresOptions & KeySources): Promise<Storage> {
  await migrate(options)
  const pool = openPool(options)
  return {
    keys: postgresKeys(pool, options),
    usage: postgresUsage(pool),
    audit: postgresAudit(pool),
    sessions: postgresSessions(pool),
    password: postgresPassword(pool),
    async check() {
      await pool.ask(CHECK)
    },
    close: pool.close,
  }
}
