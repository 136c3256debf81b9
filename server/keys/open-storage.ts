// Opens the storage of this instance: PostgreSQL if an address is configured, else a SQLite file in the data folder.
import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Logger } from '../http/observability.ts'
import { leasedKeys } from './leased-keys.ts'
import { IN_MEMORY, KEY_FILE, openSqliteStorage } from './sqlite/sqlite-storage.ts'
import type { Storage } from './storage.ts'

type StorageConfig = Pick<Config, 'dataDir' | 'database' | 'databaseTimeoutSeconds' | 'keyLeaseMs'>

/** Throws `UsageError` if the SQLite file or the database of `DATABASE_URL` cannot be used. */
export async function openStorage(config: StorageConfig, logger: Logger): Promise<Storage> {
  const storage = await openDatabase(config, logger)
  return { ...storage, keys: leasedKeys(storage.keys, config.keyLeaseMs) }
}

async function openDatabase(
  { dataDir, database, databaseTimeoutSeconds }: StorageConfig,
  logger: Logger,
): Promise<Storage> {
  if (database === undefined) {
    try {
      const busyTimeoutMs = databaseTimeoutSeconds * 1000
      return dataDir === IN_MEMORY
        ? openSqliteStorage({ path: IN_MEMORY, busyTimeoutMs })
        : openSqliteStorage({ dataDir, busyTimeoutMs })
    } catch (error) {
      const path = resolve(dataDir, KEY_FILE)
      throw new UsageError(`DATA_DIR: the key database '${path}' cannot be used: ${reasonOf(error)}`)
    }
  }
  const { url, connections } = database
  // Loaded on demand: most servers use a file.
  const { openPostgresStorage } = await import('./postgres/postgres-storage.ts')
  try {
    return await openPostgresStorage({
      url,
      connections,
      timeoutMs: databaseTimeoutSeconds * 1000,
      reportState(state, error) {
        if (state === 'up') logger.info('the database answers again')
        else logger.error({ err: error }, 'the database does not answer')
      },
    })
  } catch (error) {
    throw new UsageError(`DATABASE_URL: the database cannot be used: ${reasonOf(error, url)}`)
  }
}

/** The address of the database without credentials. */
export function databaseAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

/** One line. The error of a connection that was tried at several addresses has no message. */
function reasonOf(error: unknown, url?: string): string {
  if (!(error instanceof Error)) return 'it failed'
  const code = 'code' in error ? String(error.code) : error.name
  const line = (error.message === '' ? code : error.message).split('\n').join(' ')
  // Drivers should not repeat the password; this makes sure.
  const password = url === undefined ? '' : new URL(url).password
  return password === ''
    ? line
    : line.replaceAll(password, '***').replaceAll(decodeURIComponent(password), '***')
}
