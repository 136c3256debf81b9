// One PostgreSQL database for everything that the service stores, shared by any number of instances. When `create` or
// `revoke` resolves, the change is committed, and every instance sees it on its next request (KEY-4).
import type { KeySources } from '../key-record.ts'
import { CHECK } from '../database.ts'
import { storedKeys } from '../stored-keys.ts'
import { storedAudit } from '../stored-audit.ts'
import { storedSessions } from '../stored-sessions.ts'
import { postgresPassword } from './postgres-password.ts'
import { openPool, type PostgresOptions } from './pool.ts'
import { migrate } from './postgres-schema.ts'
import { storedUsage } from '../stored-usage.ts'
import { postgresUsage } from './postgres-usage.ts'
import type { Storage } from '../storage.ts'

/**
 * Opens the storage and migrates the database. Throws if the database cannot be reached or was written by a newer version
 * of this project. Afterwards every call throws a 503 `ApiError` while the database is down.
 */
export async function openPostgresStorage(options: PostgresOptions & KeySources): Promise<Storage> {
  await migrate(options)
  const { ask, close } = openPool(options)
  return {
    keys: storedKeys(ask, options),
    usage: storedUsage(ask, postgresUsage(ask)),
    audit: storedAudit(ask),
    sessions: storedSessions(ask),
    password: postgresPassword(ask),
    async check() {
      await ask(CHECK)
    },
    close,
  }
}
